#include "store/list/packed_entry.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "store/list/list_limits.hpp"

namespace tern::store {
namespace {

/// Writes a value between guards, reads it from both ends, and returns its bytes.
std::vector<unsigned> round_trip(std::string_view text) {
    const packed_entry::Value value(text);
    const std::size_t size_bytes = packed_entry::size_of(value);
    std::vector<std::byte> memory(size_bytes + 2, std::byte{0xEE});
    packed_entry::write(memory.data() + 1, value);
    EXPECT_EQ(memory.front(), std::byte{0xEE});
    EXPECT_EQ(memory.back(), std::byte{0xEE});

    const packed_entry::Entry entry = packed_entry::read(memory.data() + 1);
    EXPECT_EQ(entry.size_bytes, size_bytes);
    EXPECT_EQ(packed_entry::Text(entry).view(), text);
    EXPECT_TRUE(entry.equals(value));
    EXPECT_EQ(packed_entry::size_before(memory.data() + 1 + size_bytes), size_bytes);
    std::vector<unsigned> bytes;
    for (std::size_t i = 1; i <= size_bytes; ++i) {
        bytes.push_back(std::to_integer<unsigned>(memory[i]));
    }
    return bytes;
}

using Bytes8 = std::vector<unsigned>;

TEST(PackedEntry, IntegersTakeAsFewBytesAsTheFormatAllows) {
    EXPECT_EQ(round_trip("0"), (Bytes8{0, 1}));
    EXPECT_EQ(round_trip("127"), (Bytes8{127, 1}));
    EXPECT_EQ(round_trip("128"), (Bytes8{0xC0, 0x80, 2}));
    EXPECT_EQ(round_trip("-1"), (Bytes8{0xDF, 0xFF, 2}));
    EXPECT_EQ(round_trip("4095"), (Bytes8{0xCF, 0xFF, 2}));
    EXPECT_EQ(round_trip("-4096"), (Bytes8{0xD0, 0x00, 2}));
    EXPECT_EQ(round_trip("4096"), (Bytes8{0xF1, 0x00, 0x10, 3}));
    EXPECT_EQ(round_trip("-32768"), (Bytes8{0xF1, 0x00, 0x80, 3}));
    EXPECT_EQ(round_trip("32768"), (Bytes8{0xF2, 0x00, 0x80, 0x00, 4}));
    EXPECT_EQ(round_trip("-8388609"), (Bytes8{0xF3, 0xFF, 0xFF, 0x7F, 0xFF, 5}));
    EXPECT_EQ(round_trip("2147483648"), (Bytes8{0xF4, 0, 0, 0, 0x80, 0, 0, 0, 0, 9}));
}

TEST(PackedEntry, EveryIntegerComesBack) {
    for (unsigned bits = 0; bits < 64; ++bits) {
        for (const std::int64_t near : {-1, 0, 1}) {
            const auto number = static_cast<std::int64_t>(std::uint64_t{1} << bits);
            round_trip(int64_text(static_cast<std::int64_t>(static_cast<std::uint64_t>(number) +
                                                            static_cast<std::uint64_t>(near))));
            round_trip(int64_text(static_cast<std::int64_t>(static_cast<std::uint64_t>(near) -
                                                            static_cast<std::uint64_t>(number))));
        }
    }
}

TEST(PackedEntry, WhatOnlyLooksLikeAnIntegerIsText) {
    for (const std::string_view text :
         {"", "-", "-0", "+1", "01", " 1", "1 ", "1.0", "9223372036854775808"}) {
        EXPECT_FALSE(packed_entry::Value(text).is_integer) << text;
        round_trip(text);
    }
}

TEST(PackedEntry, TextsComeBackAtEveryLengthWhereAFormBegins) {
    for (const std::size_t edge : {1U,
                                   63U,
                                   64U,
                                   125U,
                                   126U,
                                   127U,
                                   4095U,
                                   4096U,
                                   16377U,
                                   16378U,
                                   16380U,
                                   65536U,
                                   2097145U,
                                   2097146U}) {
        for (std::size_t length = edge - 1; length <= edge + 1; ++length) {
            round_trip(std::string(length, 'x'));
        }
    }
}

TEST(PackedEntry, TheBackLengthHasTheBytesThatDumpShows) {
    // As redis-server 7.2 dumps them: 16,382 takes two bytes, 16,383 three.
    const Bytes8 two = round_trip(std::string(16377, 'x'));
    EXPECT_EQ(Bytes8(two.end() - 3, two.end()), (Bytes8{'x', 0x7F, 0xFE}));
    const Bytes8 three = round_trip(std::string(16378, 'x'));
    EXPECT_EQ(Bytes8(three.end() - 4, three.end()), (Bytes8{'x', 0x00, 0xFF, 0xFF}));
}

TEST(PackedEntry, AnEntryEqualsOnlyWhatItWasMadeFrom) {
    for (const std::string_view text : {"1", "-5", "a", "", "01"}) {
        const packed_entry::Value value(text);
        std::byte memory[16];
        packed_entry::write(memory, value);
        for (const std::string_view other : {"1", "-5", "a", "", "01"}) {
            EXPECT_EQ(packed_entry::read(memory).equals(packed_entry::Value(other)), text == other);
        }
    }
}

TEST(ListLimits, FollowTheParameter) {
    using lists::ListLimits;
    EXPECT_EQ(ListLimits::of_parameter(-1).bytes_max, 4096U);
    EXPECT_EQ(ListLimits::of_parameter(-5).bytes_max, 65536U);
    EXPECT_EQ(ListLimits::of_parameter(INT64_MIN + 1).bytes_max, 65536U);
    EXPECT_EQ(ListLimits::of_parameter(0).count_max, 1U);
    EXPECT_EQ(ListLimits::of_parameter(7).count_max, 7U);
    EXPECT_EQ(ListLimits::of_parameter(7).bytes_max, 8192U);
    EXPECT_FALSE(ListLimits::of_parameter(-2).exceeds(8185, 100000));
    EXPECT_TRUE(ListLimits::of_parameter(-2).exceeds(8186, 1));
    EXPECT_TRUE(ListLimits::of_parameter(3).exceeds(1, 4));
    EXPECT_EQ(ListLimits::of_parameter(3).half().count_max, 1U);
}

}  // namespace
}  // namespace tern::store
