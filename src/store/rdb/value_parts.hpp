#pragma once

#include <string_view>

#include "store/rdb/packed_list.hpp"
#include "store/rdb/value_codec.hpp"
#include "store/rdb/value_digest.hpp"

/// What the sources of the value codec share: one function for each type and form. Not for others.
namespace tern::store::rdb {

/// One key that is being loaded.
struct LoadTarget {
    RdbReader& reader;
    Database& database;
    std::string_view key;
    const LoadLimits& limits;
};

[[nodiscard]] inline LoadStatus good_if(bool is_good) noexcept {
    return is_good ? LoadStatus::kOk : LoadStatus::kBad;
}

/// Calls `add(text)` for each element of packed bytes until one fails.
template <typename Add>
[[nodiscard]] LoadStatus load_packed(PackedReader::Form form, Bytes bytes, Add&& add) {
    PackedReader elements(form, bytes);
    PackedEntry entry;
    while (elements.next(entry)) {
        if (const LoadStatus status = add(entry.text); status != LoadStatus::kOk) {
            return status;
        }
    }
    return good_if(elements.is_whole());
}

void save_list(RdbWriter& writer, const EntryRef& ref);
void mix_list(Digest& sum, const EntryRef& ref);
[[nodiscard]] LoadStatus load_list(LoadTarget& target);
[[nodiscard]] LoadStatus load_list_ziplist(LoadTarget& target);
[[nodiscard]] LoadStatus load_list_quicklist(LoadTarget& target);
[[nodiscard]] LoadStatus load_list_quicklist2(LoadTarget& target);

void save_set(RdbWriter& writer, const EntryRef& ref);
void mix_set(Digest& sum, const EntryRef& ref);
[[nodiscard]] LoadStatus load_set(LoadTarget& target);
[[nodiscard]] LoadStatus load_set_intset(LoadTarget& target);
[[nodiscard]] LoadStatus load_set_listpack(LoadTarget& target);

void save_stream(RdbWriter& writer, const EntryRef& ref);
void mix_stream(Digest& sum, const EntryRef& ref);
[[nodiscard]] LoadStatus load_stream(LoadTarget& target, ValueKind kind);

}  // namespace tern::store::rdb
