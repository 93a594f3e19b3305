#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "store/hash/element_slot.hpp"
#include "store/memory/arena.hpp"
#include "store/ordered/ordered_index.hpp"

namespace tern::store::streams {

/// The names of groups and consumers: a slot each, of any length.
namespace name_slot {

/// Null without memory.
[[nodiscard]] inline Handle make(Arena& arena, std::string_view name) noexcept {
    const auto fresh =
        element_slot::allocate(arena, 0, length_code::size_of(name.size()) + name.size());
    if (fresh.handle) {
        std::byte* const text = length_code::write(fresh.body, name.size());
        std::memcpy(text, name.data(), name.size());
    }
    return fresh.handle;
}
[[nodiscard]] inline std::string_view read(const Arena& arena, Handle handle) noexcept {
    const std::byte* at = element_slot::body(arena, handle, 0);
    const std::size_t length_bytes = length_code::read(at);
    return as_text({at, length_bytes});
}

}  // namespace name_slot

/// Objects of class `Named` in slots of the arena, in the order of their names, which sort by
/// bytes. `Named` has a public `Handle name` at its beginning. Names are unique.
///
/// Lifetime: `arena` outlives the index, which never frees an object.
template <typename Named>
class NameIndex {
public:
    explicit NameIndex(Arena& arena) noexcept : arena_(&arena), index_(arena, Order{&arena}) {}

    [[nodiscard]] std::uint64_t size() const noexcept { return index_.size(); }
    [[nodiscard]] std::size_t memory_bytes() const noexcept { return index_.memory_bytes(); }

    /// Adds an object whose name is not there. False without memory.
    [[nodiscard]] bool insert(Handle handle) noexcept {
        return index_.insert(handle, Below<false>(*arena_, name_of(*arena_, handle)));
    }
    void erase(Handle handle) noexcept {
        index_.erase(handle, Below<true>(*arena_, name_of(*arena_, handle)));
    }
    /// The object of that name, or null.
    [[nodiscard]] Named* find(std::string_view name) const noexcept {
        const OrderedCursor cursor = index_.partition_point(Below<false>(*arena_, name)).cursor;
        return cursor && name_of(*arena_, cursor.get()) == name
                   ? arena_->template as<Named>(cursor.get())
                   : nullptr;
    }
    /// Null when there is none.
    [[nodiscard]] Named* first() const noexcept {
        const OrderedCursor cursor = index_.first();
        return cursor ? arena_->template as<Named>(cursor.get()) : nullptr;
    }
    /// Calls `visit(Named&)` in order until it says false; whether it never did.
    template <typename Visit>
    bool walk(Visit&& visit) const {
        for (OrderedCursor cursor = index_.first(); cursor; cursor.next()) {
            if (!visit(*arena_->template as<Named>(cursor.get()))) {
                return false;
            }
        }
        return true;
    }

private:
    [[nodiscard]] static std::string_view name_of(const Arena& arena, Handle handle) noexcept {
        return name_slot::read(arena, arena.as<Named>(handle)->name);
    }
    /// The first eight bytes as a number that sorts as they do.
    [[nodiscard]] static std::uint64_t prefix_of_name(std::string_view name) noexcept {
        char bytes[sizeof(std::uint64_t)] = {};
        std::memcpy(bytes, name.data(), name.size() < sizeof bytes ? name.size() : sizeof bytes);
        return load<std::uint64_t, std::endian::big>(reinterpret_cast<const std::byte*>(bytes));
    }

    struct Order {
        const Arena* arena;
        [[nodiscard]] std::uint64_t prefix_of(Handle handle) const noexcept {
            return prefix_of_name(name_of(*arena, handle));
        }
    };
    template <bool IncludesEqual>
    class Below {
    public:
        Below(const Arena& arena, std::string_view name) noexcept
            : arena_(&arena), name_(name), prefix_(prefix_of_name(name)) {}
        [[nodiscard]] bool operator()(std::uint64_t prefix, Handle handle) const noexcept {
            if (prefix != prefix_) {
                return prefix < prefix_;
            }
            const std::string_view other = name_of(*arena_, handle);
            return IncludesEqual ? other <= name_ : other < name_;
        }

    private:
        const Arena* arena_;
        std::string_view name_;
        std::uint64_t prefix_;
    };

    Arena* arena_;
    OrderedIndex<Order> index_;
};

}  // namespace tern::store::streams
