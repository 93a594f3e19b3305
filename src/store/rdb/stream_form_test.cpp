#include "store/rdb/stream_form.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/hash/test_store.hpp"
#include "store/rdb/value_codec.hpp"
#include "store/rdb/value_digest.hpp"

namespace tern::store::rdb {
namespace {

using namespace std::string_literals;
using streams::Stream;

/// What Redis 7.2.6 dumped: 1-1 with a, 2-0 with a and d; a group that delivered the first to a
/// consumer.
const std::string kStream =
    "\x15\x01\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01"s
    "44\0\0\0\x13\0\x02\x01\0\x01\x01\x01\x81"s
    "a\x02\0\x01\x02\x01\0\x01\0\x01\x81"s
    "b\x02\x04\x01\0\x01\x01\x01\xdf\xff\x02\x02\x01\x81"s
    "a\x02\x81"s
    "c\x02\x81"s
    "d\x02\x81"s
    "e\x02\x08\x01\xff"s
    "\x02\x02\0\x01\x01\0\0\x02\x01\x01g\x01\x01\x01\x01"s
    "\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\x0b*\x0e"s
    "0\xa2\x01\0\0\x01\x01\x04"s
    "cons\x0b*\x0e"s
    "0\xa2\x01\0\0\x0b*\x0e"s
    "0\xa2\x01\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01"s;

class StreamFormTest : public StoreTest {
protected:
    [[nodiscard]] LoadStatus load(std::string_view bytes, std::string_view key) {
        RdbReader reader(as_bytes(bytes));
        const LoadStatus status = load_value(reader, database(), key, {});
        return status == LoadStatus::kOk && !reader.is_at_end() ? LoadStatus::kBad : status;
    }
    [[nodiscard]] std::string save(std::string_view key) {
        BufferSink sink;
        RdbWriter writer(sink, true);
        save_value(writer, database().peek(key));
        return std::string(sink.view());
    }
};

TEST_F(StreamFormTest, WhatRedisWroteIsReadAndWrittenTheSame) {
    ASSERT_EQ(load(kStream, "x"), LoadStatus::kOk);
    const Stream stream(database(), "x");
    stream.get().check_invariants();
    EXPECT_EQ(stream.size(), 2U);
    EXPECT_EQ(stream.get().entries_added, 2U);
    const streams::Group* const group = stream.get().find_group("g");
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->entries_read, 1U);
    const streams::Pending* const pending = group->find_pending({1, 1});
    ASSERT_NE(pending, nullptr);
    EXPECT_EQ(group->name_of(group->consumer_of(*pending)), "cons");
    EXPECT_EQ(save("x"), kStream);
}

TEST_F(StreamFormTest, StreamCutAnywhereIsRefused) {
    for (std::size_t length = 0; length < kStream.size(); ++length) {
        // Of exactly that size, so that a sanitizer sees a read behind the end.
        const std::string cut(kStream, 0, length);
        EXPECT_EQ(load(cut, "x"), LoadStatus::kBad) << length;
        EXPECT_FALSE(database().peek("x")) << length;
    }
    expect_no_leak();
}

TEST_F(StreamFormTest, PendingEntryWithoutConsumerIsRefused) {
    // The last id is that of the consumer's pending entry.
    std::string other = kStream;
    other.back() = '\x02';
    EXPECT_EQ(load(other, "x"), LoadStatus::kBad);
    // No consumer at all.
    const std::size_t consumers = kStream.find(
        "\x01\x04"
        "cons");
    ASSERT_NE(consumers, std::string::npos);
    EXPECT_EQ(load(kStream.substr(0, consumers) + '\0', "x"), LoadStatus::kBad);
    expect_no_leak();
}

TEST_F(StreamFormTest, EmptyStreamComesBack) {
    Stream stream(database(), "x");
    ASSERT_TRUE(stream.create());
    stream.get().last_id = {7, 9};
    stream.get().entries_added = 5;
    ASSERT_NE(stream.get().add_group("g"), nullptr);
    ASSERT_EQ(load(save("x"), "y"), LoadStatus::kOk);
    const Stream copied(database(), "y");
    EXPECT_EQ(copied.size(), 0U);
    EXPECT_EQ(copied.get().last_id, (StreamEntryId{7, 9}));
    EXPECT_EQ(copied.get().entries_added, 5U);
    EXPECT_EQ(copied.get().find_group("g")->entries_read, streams::Group::kNotKnown);
}

TEST_F(StreamFormTest, LargeStreamComesBackWithoutWhatWasDeleted) {
    Stream stream(database(), "x");
    ASSERT_TRUE(stream.create());
    streams::Group* const group = stream.get().add_group("group");
    streams::Consumer* const consumers[] = {group->add_consumer("a", 1),
                                            group->add_consumer("b", 2)};
    for (std::uint64_t i = 1; i <= 5000; ++i) {
        const std::string value =
            random_.next() % 2 == 0 ? std::to_string(random_.next()) : std::string(i % 300, 'v');
        const std::vector<std::string_view> texts = {i % 7 == 0 ? "other" : "field", value};
        ASSERT_TRUE(stream.append({i / 3 + 1, i}, texts, {}));
        if (i % 5 == 0) {
            group->add_pending({i / 3 + 1, i}, *consumers[i % 2])->delivery_count = i;
        }
        if (i % 11 == 0) {
            ASSERT_TRUE(stream.erase({i / 3 + 1, i}));
        }
    }
    ASSERT_EQ(load(save("x"), "y"), LoadStatus::kOk);
    const Stream copied(database(), "y");
    copied.get().check_invariants();
    EXPECT_EQ(copied.size(), stream.size());
    EXPECT_EQ(copied.get().deleted_id_max, stream.get().deleted_id_max);
    EXPECT_EQ(copied.get().find_group("group")->pending_count(), 1000U);
    EXPECT_EQ(digest_of(copied.entry()).text(), digest_of(stream.entry()).text());
    ASSERT_TRUE(Stream(database(), "y").erase(*copied.get().entries().first_id()));
    EXPECT_NE(digest_of(copied.entry()).text(), digest_of(stream.entry()).text());
    expect_no_leak();
}

}  // namespace
}  // namespace tern::store::rdb
