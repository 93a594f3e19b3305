#include "server/command/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tern::server {
namespace {

class ArgumentsTest : public testing::Test {
protected:
    Arguments arguments(std::vector<std::string_view> words) {
        words_ = std::move(words);
        return Arguments(words_, scratch_);
    }
    std::string written() const { return std::string(sink_.view()); }

    std::vector<std::string_view> words_;
    Scratch scratch_;
    BufferSink sink_;
    Reply reply_{sink_, Protocol::kResp2};
};

TEST_F(ArgumentsTest, OptionsAreTakenInAnyCaseOnly) {
    Arguments in = arguments({"nX", "value"});
    EXPECT_FALSE(in.take_option("XX"));
    EXPECT_TRUE(in.take_option("NX"));
    EXPECT_EQ(in.left(), 1U);
    EXPECT_EQ(in.take(), "value");
    EXPECT_TRUE(in.is_empty());
    EXPECT_FALSE(in.take_option("NX"));
}

TEST_F(ArgumentsTest, IntegersAreReadOrAnswered) {
    Arguments in = arguments({"12", "-9223372036854775808", "1.5"});
    std::int64_t value = 0;
    EXPECT_TRUE(in.read_integer(value, reply_));
    EXPECT_EQ(value, 12);
    EXPECT_TRUE(in.read_integer(value, reply_));
    EXPECT_EQ(value, INT64_MIN);
    EXPECT_FALSE(in.read_integer(value, reply_));
    EXPECT_EQ(written(), "-ERR value is not an integer or out of range\r\n");
}

TEST_F(ArgumentsTest, ReadingPastTheEndIsASyntaxError) {
    Arguments in = arguments({});
    double value = 0;
    EXPECT_FALSE(in.read_double(value, reply_));
    EXPECT_EQ(written(), "-ERR syntax error\r\n");
}

TEST_F(ArgumentsTest, DoublesAreReadOrAnswered) {
    Arguments in = arguments({"inf", "x"});
    double value = 0;
    EXPECT_TRUE(in.read_double(value, reply_));
    EXPECT_GT(value, 1e308);
    EXPECT_FALSE(in.read_double(value, reply_));
    EXPECT_EQ(written(), "-ERR value is not a valid float\r\n");
}

TEST(ArgumentsScratch, LargeArraysDoNotMoveSmallOnes) {
    Scratch scratch;
    const std::span<int> small = scratch.array<int>(4);
    small[0] = 42;
    const std::span<int> large = scratch.array<int>(1'000'000);
    large[999'999] = 1;
    EXPECT_EQ(small[0], 42);
    EXPECT_EQ(scratch.copy("text"), "text");
    scratch.reset();
}

}  // namespace
}  // namespace tern::server
