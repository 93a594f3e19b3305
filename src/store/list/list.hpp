#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "store/hash/collection.hpp"
#include "store/list/large_list.hpp"

/// Lists: what the commands of Redis's list group do, typed.
namespace tern::store::lists {

using packed_entry::Entry;
using packed_entry::Text;
using packed_entry::Value;

/// Says to the keyspace how large lists are freed, copied and measured. Once, at the start.
void register_type(Keyspace& keyspace) noexcept;

/// The list under one key, open for one command.
///
/// A small list is one run of packed entries in the key's own slot, as long as a run of it is
/// within the limits:
///
///     +---------+---------+---------+-----
///     | count 2 | entry   | entry   | ...
///     +---------+---------+---------+-----
///
/// Entries that it visits lie in the store. Values given to it may not.
///
/// Errors:   false when the arena is exhausted; nothing changed then.
class List : public Collection {
public:
    /// Looks the key up.
    List(Database& database, std::string_view key) : Collection(database, key, Type::kList) {}

    /// LLEN; 0 without a key.
    [[nodiscard]] std::uint64_t size() const noexcept;
    /// "listpack" or "quicklist", as OBJECT ENCODING says it.
    [[nodiscard]] std::string_view encoding_name() const noexcept {
        return is_large() ? "quicklist" : "listpack";
    }

    /// Before elements are added: gives the list its large form if it would outgrow a run by
    /// `added_count` elements with texts of `added_bytes`. Redis decides by the texts, before it
    /// does anything else, and so whether or not the command then finds where to put them. A key
    /// that this makes has no elements: a push must follow.
    [[nodiscard]] bool prepare_growth(std::size_t added_bytes,
                                      std::size_t added_count,
                                      const ListLimits& limits);
    /// After elements went or got shorter: gives the list its compact form if it now fits a run of
    /// half the limits.
    void settle(const ListLimits& limits);

    /// LPUSH, RPUSH: makes the key when there is none; without memory an empty one goes.
    [[nodiscard]] bool push(End end, const Value& value, const ListLimits& limits);
    /// LINSERT: puts a value in front of element `index`, which is at most `size()`.
    [[nodiscard]] bool insert(std::uint64_t index, const Value& value, const ListLimits& limits);
    /// LSET: gives element `index`, which is there, another value.
    [[nodiscard]] bool replace(std::uint64_t index, const Value& value, const ListLimits& limits);

    /// LPOP, RPOP: removes elements that are there from an end. With the last element the key goes.
    void erase_end(End end, std::uint64_t count);
    /// LTRIM: removes all but `count` elements from `index` on, in a bounded number of steps.
    void trim(std::uint64_t index, std::uint64_t count);
    /// LREM: removes up to `count` elements that equal `value`, the first or the last ones; returns
    /// how many. With the last element the key goes.
    std::uint64_t erase_equal(const Value& value, std::uint64_t count, bool from_tail);

    /// LRANGE, LINDEX, LPOS: calls `visit(Entry)` for `count` elements that are there from `index`
    /// on, towards the tail or the head; stops when it says false.
    template <typename Visit>
    void walk(std::uint64_t index, std::uint64_t count, bool backwards, Visit&& visit) const;

    /// The same for all elements, towards the tail, of an entry that holds a list: DEBUG DIGEST,
    /// DUMP.
    template <typename Visit>
    static void visit(const EntryRef& ref, Visit&& visitor) {
        if (ref.is_object()) {
            const auto& large = ref.object<LargeList>();
            large.walk(0, large.size(), false, visitor);
        } else {
            const Bytes value = ref.value();
            PackedRun(value.subspan(kHeaderBytes))
                .walk(0, load<std::uint16_t>(value.data()), false, visitor);
        }
    }

private:
    static constexpr std::size_t kHeaderBytes = 2;

    [[nodiscard]] LargeList& large() const noexcept { return entry().object<LargeList>(); }
    [[nodiscard]] std::size_t compact_count() const noexcept { return load<std::uint16_t>(data()); }
    [[nodiscard]] PackedRun run() const noexcept {
        return PackedRun(bytes().subspan(kHeaderBytes));
    }
    void write_count(std::size_t count) noexcept {
        store_value(data(), static_cast<std::uint16_t>(count));
    }
    [[nodiscard]] std::size_t offset_of(std::uint64_t index) const noexcept {
        return run().offset_of(static_cast<std::size_t>(index), compact_count());
    }
    /// Whether the list is compact and may stay so with `more_bytes`.
    [[nodiscard]] bool is_compact_with(std::size_t more_bytes) const noexcept;
    [[nodiscard]] bool become_large(const ListLimits& limits);
    [[nodiscard]] bool create(const Value& value, const ListLimits& limits);
    void cut(std::size_t offset, std::size_t removed_bytes, std::size_t removed_count);
    [[nodiscard]] std::uint64_t erase_equal_compact(const Value& value,
                                                    std::uint64_t count,
                                                    bool from_tail);
    void cut_large(End end, std::uint64_t count);
    void erase_key_if_empty();
};

template <typename Visit>
void List::walk(std::uint64_t index, std::uint64_t count, bool backwards, Visit&& visit) const {
    if (count == 0) {
        return;
    }
    if (is_large()) {
        large().walk(index, count, backwards, visit);
        return;
    }
    run().walk(offset_of(backwards ? index + 1 : index),
               static_cast<std::size_t>(count),
               backwards,
               visit);
}

}  // namespace tern::store::lists
