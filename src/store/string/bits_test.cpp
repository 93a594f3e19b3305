#include "store/string/bits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "store/string/bitfield.hpp"

namespace tern::store::bits {
namespace {

using Model = std::vector<bool>;

/// Random bytes, long runs of zeroes and ones among them, and the same as single bits.
struct Sample {
    explicit Sample(std::mt19937_64& random) {
        const std::size_t size = random() % 4 == 0 ? random() % 9000 : random() % 40;
        for (std::size_t i = 0; i < size; ++i) {
            const auto kind = random() % 8;
            bytes.push_back(static_cast<std::byte>(kind == 0 ? random() : kind < 4 ? 0 : 255));
        }
        for (std::size_t i = 0; i < size * 8; ++i) {
            model.push_back((std::to_integer<unsigned>(bytes[i / 8]) >> (7 - i % 8) & 1) != 0);
        }
    }
    [[nodiscard]] BitSpan span(std::mt19937_64& random) const {
        const std::uint64_t first = random() % (model.size() + 1);
        return {first, random() % (model.size() - first + 1)};
    }

    std::vector<std::byte> bytes;
    Model model;
};

std::uint64_t field_of(const Model& model, std::uint64_t at, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) {
        value = value << 1 | (at + i < model.size() && model[at + i] ? 1 : 0);
    }
    return value;
}

TEST(Bits, CountFindAndFieldsAgreeWithSingleBits) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
        Sample sample(random);
        const BitSpan span = sample.span(random);
        const auto begin = sample.model.begin() + static_cast<std::ptrdiff_t>(span.first);
        const auto end = begin + static_cast<std::ptrdiff_t>(span.count);
        ASSERT_EQ(count_ones(sample.bytes, span),
                  static_cast<std::uint64_t>(std::count(begin, end, true)));
        for (const bool value : {false, true}) {
            const auto at = std::find(begin, end, value);
            const auto found = find(sample.bytes, span, value);
            ASSERT_EQ(found.has_value(), at != end);
            if (found) {
                ASSERT_EQ(*found, static_cast<std::uint64_t>(at - sample.model.begin()));
            }
        }
        const auto width = static_cast<unsigned>(1 + random() % 64);
        ASSERT_EQ(read_field(sample.bytes, span.first, width),
                  field_of(sample.model, span.first, width));
    }
}

TEST(Bits, WrittenFieldChangesNothingBesideIt) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::byte> bytes(20);
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
        const std::vector<std::byte> before = bytes;
        const auto width = static_cast<unsigned>(1 + random() % 64);
        const std::uint64_t at = random() % (bytes.size() * 8 - width + 1);
        const std::uint64_t value = random();
        write_field(bytes, at, width, value);
        ASSERT_EQ(read_field(bytes, at, width), value & (~std::uint64_t{0} >> (64 - width)));
        write_field(bytes, at, width, read_field(before, at, width));
        ASSERT_EQ(bytes, before);
    }
}

TEST(Bits, CombinationsAgreeWithSingleBytesAlsoInPlace) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::vector<std::byte>> inputs;
        std::size_t longest = 0;
        for (std::size_t i = 0; i <= random() % 4; ++i) {
            inputs.push_back(Sample(random).bytes);
            longest = std::max(longest, inputs.back().size());
        }
        const auto operation = static_cast<Operation>(random() % (inputs.size() == 1 ? 4 : 3));
        std::vector<std::byte> expected(longest);
        for (std::size_t i = 0; i < longest; ++i) {
            const auto at = [&](const auto& in) { return i < in.size() ? in[i] : std::byte{0}; };
            expected[i] = operation == Operation::kNot ? ~at(inputs[0]) : at(inputs[0]);
            for (std::size_t j = 1; j < inputs.size(); ++j) {
                const std::byte next = at(inputs[j]);
                expected[i] = operation == Operation::kAnd  ? expected[i] & next
                              : operation == Operation::kOr ? expected[i] | next
                                                            : expected[i] ^ next;
            }
        }
        // The target is the first source, grown with zeroes.
        inputs[0].resize(longest);
        std::vector<Bytes> sources(inputs.begin(), inputs.end());
        combine(operation, sources, inputs[0]);
        ASSERT_EQ(inputs[0], expected) << static_cast<int>(operation);
    }
}

TEST(BitField, OverflowWrapsSaturatesOrFails) {
    constexpr FieldType kI8{true, 8};
    constexpr FieldType kU8{false, 8};
    constexpr FieldType kI64{true, 64};
    constexpr std::int64_t kMax = INT64_MAX;
    EXPECT_EQ(fit(200, kI8, Overflow::kWrap), -56);
    EXPECT_EQ(fit(200, kI8, Overflow::kSaturate), 127);
    EXPECT_EQ(fit(200, kI8, Overflow::kFail), std::nullopt);
    EXPECT_EQ(fit(-1, kU8, Overflow::kSaturate), 255);
    EXPECT_EQ(fit_sum(0, -1, kU8, Overflow::kSaturate), 0);
    EXPECT_EQ(fit_sum(0, -1, kU8, Overflow::kWrap), 255);
    EXPECT_EQ(fit_sum(kMax, 1, kI64, Overflow::kWrap), INT64_MIN);
    EXPECT_EQ(fit_sum(kMax, kMax, kI64, Overflow::kSaturate), kMax);
    EXPECT_EQ(fit_sum(INT64_MIN, -1, kI64, Overflow::kFail), std::nullopt);
    EXPECT_FALSE((FieldType{false, 64}.is_valid()));
    EXPECT_TRUE((FieldType{true, 64}.is_valid()));
}

}  // namespace
}  // namespace tern::store::bits
