#include <cmath>

#include "store/hash/compact_hash.hpp"
#include "store/hash/large_hash.hpp"
#include "store/rdb/packed_list.hpp"
#include "store/rdb/value_parts.hpp"
#include "store/zset/compact_zset.hpp"
#include "store/zset/large_zset.hpp"

namespace tern::store::rdb {
namespace {

void save_string(RdbWriter& writer, const EntryRef& ref) {
    writer.kind(ValueKind::kString);
    writer.text(ref.text());
}

void save_hash(RdbWriter& writer, const EntryRef& ref) {
    if (ref.is_object()) {
        const auto& large = ref.object<hashes::LargeHash>();
        writer.kind(ValueKind::kHash);
        writer.length(large.size());
        large.for_each([&](const hashes::FieldValue& element) {
            writer.text(element.field);
            writer.text(element.value);
        });
        return;
    }
    ListpackBuilder pack;
    hashes::CompactHash(ref.value()).for_each([&](const hashes::CompactHash::Entry& entry) {
        pack.append(entry.field);
        pack.append(entry.value);
    });
    writer.kind(ValueKind::kHashListpack);
    writer.text(pack.finish());
}

/// A score as Redis packs it: a number where it is a whole one, else its text.
void append_score(ListpackBuilder& pack, double score) {
    constexpr double kWholeMax = 0x1p52;
    if (std::abs(score) < kWholeMax && score == std::trunc(score)) {
        pack.append(static_cast<std::int64_t>(score));
        return;
    }
    char text[kDoubleTextBytes];
    pack.append(std::string_view(text, format_double(text, score)));
}

void save_zset(RdbWriter& writer, const EntryRef& ref) {
    if (ref.is_object()) {
        const auto& large = ref.object<zsets::LargeZset>();
        writer.kind(ValueKind::kZset2);
        writer.length(large.size());
        // From the highest score down: whoever loads it always inserts in front.
        large.visit_reversed({0, large.size()}, [&](const zsets::Element& element) {
            writer.text(element.member);
            writer.number(element.score);
        });
        return;
    }
    const zsets::CompactZset compact(ref.value());
    ListpackBuilder pack;
    compact.visit({0, compact.size()}, [&](const zsets::Element& element) {
        pack.append(element.member);
        append_score(pack, element.score);
    });
    writer.kind(ValueKind::kZsetListpack);
    writer.text(pack.finish());
}

}  // namespace

void save_value(RdbWriter& writer, const EntryRef& ref) {
    switch (ref.type()) {
        case Type::kString:
            return save_string(writer, ref);
        case Type::kHash:
            return save_hash(writer, ref);
        case Type::kZset:
            return save_zset(writer, ref);
        case Type::kList:
            return save_list(writer, ref);
        case Type::kSet:
            return save_set(writer, ref);
        case Type::kStream:
            return save_stream(writer, ref);
    }
    TERN_CHECK(false);
}

}  // namespace tern::store::rdb
