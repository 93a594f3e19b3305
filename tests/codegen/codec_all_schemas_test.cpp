#include <gtest/gtest.h>

#include <cstdlib>

#include "codec_registry.hpp"
#include "codegen/cpp_generator.hpp"
#include "codegen/generic_decoder.hpp"
#include "codegen/schema_parser.hpp"
#include "random_message.hpp"
#include "test_messages.hpp"

/// Random messages of every public schema, whole and damaged: the generated codec and the generic
/// decoder, which share no walk, must agree in status and in text.
namespace tern::codegen::test {
namespace {

constexpr int kMessagesPerVersion = 12;
constexpr int kDamagesPerMessage = 12;

class AllSchemas : public testing::TestWithParam<Codec> {
protected:
    void SetUp() override {
        outcome_ = parse_schema(GetParam().schema_path);
        ASSERT_TRUE(outcome_.ok()) << outcome_.report();
        const char* given = std::getenv("TERN_TEST_SEED");
        seed_ = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
        random_.seed(seed_);
    }

    /// Reads `bytes` both ways from memory that ends where they end.
    void expect_same(Bytes bytes, bool must_read) {
        const ExactBuffer message(bytes);
        std::string generic;
        std::string generated;
        const GenericResult result = print_message(*outcome_.schema, message.bytes(), generic);
        const sbe::DecodeStatus status = GetParam().print(message.bytes(), generated);
        const std::string where = "seed " + std::to_string(seed_) + " message " + to_hex(bytes);
        ASSERT_EQ(to_string(status), to_string(result.status)) << where;
        ASSERT_EQ(generated, generic) << where;
        if (must_read) {
            ASSERT_EQ(result.status, sbe::DecodeStatus::kOk) << where;
            ASSERT_EQ(result.bytes_used, bytes.size()) << where;
        }
    }

    ParseOutcome outcome_;
    std::uint64_t seed_ = 0;
    std::mt19937_64 random_;
};

TEST_P(AllSchemas, RandomMessagesReadTheSameBothWays) {
    const Schema& schema = *outcome_.schema;
    RandomMessage writer(schema, random_);
    for (const auto& message : schema.messages) {
        for (std::uint32_t version = 0; version <= schema.version + 1; ++version) {
            for (int round = 0; round < kMessagesPerVersion; ++round) {
                expect_same(writer.write(*message, version), true);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(AllSchemas, DamagedMessagesGiveTheSameStatusBothWays) {
    const Schema& schema = *outcome_.schema;
    RandomMessage writer(schema, random_);
    constexpr unsigned kExtremes[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
    for (const auto& message : schema.messages) {
        const std::vector<std::byte> whole = writer.write(*message, schema.version);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            expect_same(Bytes(whole).first(length), false);
        }
        for (int round = 0; round < kDamagesPerMessage; ++round) {
            std::vector<std::byte> bytes = writer.write(*message, schema.version);
            for (int hits = 0; hits < 1 + round % 3 && !bytes.empty(); ++hits) {
                bytes[random_() % bytes.size()] =
                    static_cast<std::byte>(kExtremes[random_() % std::size(kExtremes)]);
            }
            expect_same(bytes, false);
        }
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST_P(AllSchemas, RegenerationGivesIdenticalFiles) {
    const ParseOutcome again = parse_schema(GetParam().schema_path);
    const auto first = generate_cpp(*outcome_.schema, {});
    const auto second = generate_cpp(*again.schema, {});
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(second.ok());
    ASSERT_EQ(first->size(), second->size());
    for (std::size_t i = 0; i < first->size(); ++i) {
        EXPECT_EQ((*first)[i].name, (*second)[i].name);
        EXPECT_EQ((*first)[i].text, (*second)[i].text);
    }
}

std::string name_of(const testing::TestParamInfo<Codec>& param) {
    std::string name = param.param.schema_path;
    name = name.substr(name.rfind('/') + 1);
    name.resize(name.rfind('.'));
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(, AllSchemas, testing::ValuesIn(all_codecs()), name_of);

}  // namespace
}  // namespace tern::codegen::test
