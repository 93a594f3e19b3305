#include "store/rdb/payload.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "store/hash/test_store.hpp"
#include "store/rdb/crc64.hpp"
#include "store/rdb/packed_list.hpp"
#include "store/string/strings.hpp"

namespace tern::store::rdb {
namespace {

using namespace std::string_literals;

class PayloadTest : public StoreTest {
protected:
    [[nodiscard]] std::string dumped(std::string_view key) {
        BufferSink sink;
        dump(sink, database().peek(key), true);
        return std::string(sink.view());
    }
    [[nodiscard]] RestoreStatus load(std::string_view value, std::string_view key = "k") {
        return restore(database(), key, as_bytes(value), {}, {});
    }
    void set(std::string_view key, std::string_view text) {
        ASSERT_EQ(strings::set(database(), key, text), strings::Status::kOk);
    }
    [[nodiscard]] std::string text(std::string_view key = "k") {
        return std::string(strings::get(database(), key).text);
    }
    [[nodiscard]] std::vector<std::string> hash(std::string_view key = "k") {
        std::vector<std::string> found;
        hashes::Hash(database(), key).for_each([&](const hashes::FieldValue& element) {
            found.emplace_back(element.field);
            found.emplace_back(element.value);
        });
        return found;
    }
    [[nodiscard]] std::vector<std::pair<std::string, double>> zset(std::string_view key = "k") {
        std::vector<std::pair<std::string, double>> found;
        const zsets::Zset open(database(), key);
        open.visit({0, open.size()}, [&](const zsets::Element& element) {
            found.emplace_back(element.member, element.score);
        });
        return found;
    }
    void fill_set(std::string_view key, std::mt19937_64& random, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t member = static_cast<std::int64_t>(random()) >> random() % 64;
            const std::string suffix = count % 2 == 0 ? "x" : "";
            static_cast<void>(sets::Set(database(), key).add(std::to_string(member) + suffix, {}));
        }
    }
    void add(std::string_view key, double score, std::string_view member) {
        static_cast<void>(zsets::Zset(database(), key).add({member, score}, {}, {}));
    }
};

TEST(Crc64, GivesThePublishedCheckValueInOneStepAndInMany) {
    const std::string_view digits = "123456789";
    EXPECT_EQ(crc64(as_bytes(digits)), 0xe9c6d914c4b8d9caU);
    EXPECT_EQ(crc64(as_bytes(digits.substr(4)), crc64(as_bytes(digits.substr(0, 4)))),
              0xe9c6d914c4b8d9caU);
}

/// What Redis 7.2.6 answered to DUMP.
TEST_F(PayloadTest, StringsHaveRedissBytes) {
    const struct {
        std::string text;
        std::string payload;
    } cases[] = {
        {"abc", "\x00\x03"s + "abc\x0b\x00\xb0s\x8dN\xbc\xedKk"s},
        {"12", "\x00\xc0\x0c\x0b\x00U\xf5"s + "E\"\xa1\x9bU\\"s},
        {"123456", "\x00\xc2@\xe2\x01\x00\x0b\x00*\xf9\xfa\x87\xbe\x86\x9b\n"s},
        {std::string(100, 'a'),
         "\x00\xc3\t@d\x01"s + "aa\xe0W\x00\x01"s + "aa\x0b\x00\x81|\x08tM\xf2\x1b\xf8"s},
    };
    for (const auto& one : cases) {
        set("s", one.text);
        EXPECT_EQ(dumped("s"), one.payload) << one.text;
    }
}

TEST_F(PayloadTest, CompactSortedSetsHaveRedissBytes) {
    add("z", 1, "a");
    add("z", 2.5, "b");
    add("z", HUGE_VAL, "c");
    add("z", 0, "d");
    EXPECT_EQ(dumped("z"),
              "\x11!!\x00\x00\x00\x08\x00\x81"s + "d\x02\x00\x01\x81"s + "a\x02\x01\x01\x81"s +
                  "b\x02\x83"s + "2.5\x04\x81"s +
                  "c\x02\x83inf\x04\xff\x0b\x00\x98\x8c\xe0_'\\\xfb\xd4"s);
}

TEST_F(PayloadTest, OlderFormsAreRead) {
    ASSERT_EQ(load("\x09\x11\x02\x01"s + "a\x02\x00xy\x02"s + "bb\x01\x03zqqq\xff"s),
              RestoreStatus::kOk);
    EXPECT_EQ(hash(), (std::vector<std::string>{"a", "xy", "bb", "z"}));
    ASSERT_EQ(load("\x03\x03\x01"s + "a\x03"s + "1.5\x01"s + "b\xfe\x01"s + "c\xff"s),
              RestoreStatus::kOk);
    EXPECT_EQ(zset(),
              (std::vector<std::pair<std::string, double>>{
                  {"c", -HUGE_VAL}, {"a", 1.5}, {"b", HUGE_VAL}}));
    // A ziplist: a 1 b -100.
    ASSERT_EQ(load("\x0d\x16\x16\x00\x00\x00\x12\x00\x00\x00\x04\x00"s + "\x00\x01"s +
                   "a\x03\xf2\x02\x01"s + "b\x03\xfe\x9c\xff"s),
              RestoreStatus::kOk);
    EXPECT_EQ(hash(), (std::vector<std::string>{"a", "1", "b", "-100"}));
}

TEST_F(PayloadTest, WhatIsWrongIsRefusedAndLeavesTheOldKey) {
    set("k", "old");
    const std::string broken[] = {
        ""s,
        "\x06\x01"s,                                              // a module's value
        "\x04\x00"s,                                              // a hash without fields
        "\x04\x02\x01"s + "a\x01x\x01"s + "a\x01y"s,              // a field twice
        "\x04\x01\x01"s + "a"s,                                   // a value is missing
        "\x05\x01\x01"s + "a\x00\x00\x00\x00\x00\x00\xf8\x7f"s,   // a score that is no number
        "\x00\x81\xff\xff\xff\xff\xff\xff\xff\xff"s,              // longer than there are bytes
        "\x00\xc3\x01\x81\x00\x00\x00\xff\xff\xff\xff\xff\x00"s,  // unpacked to terabytes
        "\x00\xc4\x01"s,                                          // no such kind of string
        "\x10\x09\x09\x00\x00\x00\x01\x00\x01\x01\xff"s,          // a listpack of one element
    };
    for (const std::string& value : broken) {
        EXPECT_EQ(load(value), RestoreStatus::kBad) << ::testing::PrintToString(value);
        EXPECT_EQ(text(), "old");
        EXPECT_EQ(database().size(), 1U);
    }
    expect_no_leak();
}

TEST_F(PayloadTest, PayloadCutAnywhereIsRefused) {
    add("z", 1, "a");
    add("z", 300, "bb");
    const std::string whole = dumped("z");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_TRUE(value_of_payload(whole.substr(0, length), true).empty());
        const std::string value = whole.substr(0, std::min(length, whole.size() - 11));
        EXPECT_EQ(load(value), RestoreStatus::kBad) << length;
    }
    EXPECT_FALSE(value_of_payload(whole, true).empty());
}

TEST_F(PayloadTest, ValueOfALaterVersionIsRefused) {
    set("s", "abc");
    std::string payload = dumped("s");
    payload[payload.size() - 10] = 12;
    EXPECT_TRUE(value_of_payload(payload, false).empty());
    payload[payload.size() - 10] = 5;
    EXPECT_TRUE(value_of_payload(payload, true).empty());
    EXPECT_FALSE(value_of_payload(payload, false).empty());
}

TEST_F(PayloadTest, TimeThatIsOverChecksTheValueAndRemovesTheKey) {
    set("k", "old");
    const RestoreOptions past{.expire_at_ms = 1};
    EXPECT_EQ(restore(database(), "k", as_bytes("\x06"), past, {}), RestoreStatus::kBad);
    EXPECT_EQ(text(), "old");
    EXPECT_EQ(restore(database(), "k", as_bytes("\0\1x"s), past, {}), RestoreStatus::kOk);
    EXPECT_EQ(database().size(), 0U);
}

std::string random_text(std::mt19937_64& random) {
    switch (random() % 5) {
        case 0:
            return std::to_string(static_cast<std::int64_t>(random()) >> random() % 64);
        case 1:
            return std::string(random() % 5000, 'x');
        default: {
            std::string text(random() % 70, '\0');
            for (char& c : text) {
                c = static_cast<char>(random());
            }
            return text;
        }
    }
}

TEST_F(PayloadTest, WhatIsDumpedIsRestored) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 60; ++round) {
        const std::size_t count = 1 + random() % 200;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string field = random_text(random);
            static_cast<void>(hashes::Hash(database(), "h").set(field, random_text(random), {}));
            add("z",
                std::ldexp(static_cast<double>(random() % 1000),
                           static_cast<int>(random() % 60) - 20),
                field);
        }
        set("s", random_text(random));
        fill_set("u", random, count);
        for (const std::string_view key : {"h", "z", "u", "s"}) {
            const std::string payload = dumped(key);
            const Bytes value = value_of_payload(payload, true);
            ASSERT_EQ(restore(database(), "k", value, {}, {}), RestoreStatus::kOk);
            ASSERT_EQ(dumped("k").size(), payload.size());
        }
        EXPECT_EQ(text("k"), text("s"));
        database().flush();
    }
    expect_no_leak();
}

TEST(PackedList, BuilderAndReaderAgree) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> texts;
        ListpackBuilder builder;
        for (std::uint64_t i = random() % 50; i > 0; --i) {
            texts.push_back(random_text(random));
            builder.append(texts.back());
        }
        PackedReader reader(PackedReader::Form::kListpack, as_bytes(builder.finish()));
        PackedEntry entry;
        for (const std::string& text : texts) {
            ASSERT_TRUE(reader.next(entry));
            ASSERT_EQ(entry.text, text);
        }
        EXPECT_FALSE(reader.next(entry));
        EXPECT_TRUE(reader.is_whole());
    }
}

}  // namespace
}  // namespace tern::store::rdb
