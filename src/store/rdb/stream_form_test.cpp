#include "store/rdb/stream_form.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::store::rdb {
namespace {

using namespace std::string_literals;

/// What Redis 7.2.6 dumped: 1-1 with a, 2-0 with a and d; a group that delivered the first to a
/// consumer.
const std::string kStream =
    "\x01\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01"s
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

/// Reads a whole stream and writes it again in one node.
bool copy(std::string_view bytes, RdbWriter& writer, std::size_t& entry_count) {
    RdbReader reader(as_bytes(bytes));
    StreamFormReader in(reader, ValueKind::kStreamListpacks3);
    StreamNodeWriter node;
    StreamEntryId id;
    StreamFields fields;
    bool is_end = false;
    if (!in.begin()) {
        return false;
    }
    writer.length(1);
    for (entry_count = 0; in.next_entry(id, fields, is_end) && !is_end; ++entry_count) {
        if (!node.is_open()) {
            node.begin(id, fields.size());
            node.field(fields[0].first);
        }
        const bool has_node_fields = fields.size() == 1;
        node.begin_entry(id, false, has_node_fields);
        if (!has_node_fields) {
            node.field_count(fields.size());
        }
        for (const auto& [field, value] : fields) {
            if (!has_node_fields) {
                node.text(field);
            }
            node.text(value);
        }
        node.end_entry();
    }
    if (!is_end) {
        return false;
    }
    node.finish(writer);
    StreamFacts facts;
    std::uint64_t group_count = 0;
    StreamGroup group;
    StreamPending pending;
    StreamConsumer consumer;
    std::uint64_t count = 0;
    if (!in.facts(facts, group_count) || group_count != 1 || !in.group(group, count) ||
        count != 1 || !in.pending(pending)) {
        return false;
    }
    write_facts(writer, facts, 1);
    write_group(writer, group, 1);
    write_pending(writer, pending);
    if (!in.consumer_count(count) || count != 1 || !in.consumer(consumer, count) || count != 1 ||
        !in.consumer_pending(id)) {
        return false;
    }
    writer.length(1);
    write_consumer(writer, consumer, 1);
    write_raw_id(writer, id);
    return reader.is_at_end();
}

TEST(StreamForm, WhatRedisWroteIsReadAndWrittenTheSame) {
    BufferSink sink;
    RdbWriter writer(sink, true);
    std::size_t entry_count = 0;
    ASSERT_TRUE(copy(kStream, writer, entry_count));
    EXPECT_EQ(entry_count, 2U);
    EXPECT_EQ(sink.view(), kStream);
}

TEST(StreamForm, StreamCutAnywhereIsRefused) {
    for (std::size_t length = 0; length < kStream.size(); ++length) {
        BufferSink sink;
        RdbWriter writer(sink, true);
        std::size_t entry_count = 0;
        // Of exactly that size, so that a sanitizer sees a read behind the end.
        const std::string cut(kStream, 0, length);
        EXPECT_FALSE(copy(cut, writer, entry_count)) << length;
    }
}

}  // namespace
}  // namespace tern::store::rdb
