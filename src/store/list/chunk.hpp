#pragma once

#include <cstddef>
#include <cstdint>
#include <tern/base/bytes.hpp>

#include "store/list/packed_run.hpp"
#include "store/memory/arena.hpp"

namespace tern::store::lists {

/// A piece of a large list in one slot of the arena: packed entries with room on both sides, so
/// that pushes and pops at either end move nothing; or one element alone that is too long for a
/// slot, in an extent.
///
///     +----------+--------+------+---------+------+
///     | begin 2  | end 2  | room | entries | room |    packed; begin and end count from the slot
///     +----------+--------+------+---------+------+
///     | 0xFFFF 2 | unused | extent 4 | length 4 |       alone: the text as it is
///     +----------+--------+----------+----------+
///
/// The header takes less than a listpack's frame, so what fits Redis's node of a power of two fits
/// a slot of that size.
///
/// Lifetime: a view; until the chunk is resized or freed.
class Chunk {
public:
    static constexpr std::size_t kHeaderBytes = 4;
    /// The most that entries of a packed chunk can take.
    static constexpr std::size_t kPackedBytesMax = kSlotBytesMax - kHeaderBytes;

    Chunk(const Arena& arena, Handle handle) noexcept
        : arena_(&arena), at_(arena.at(handle)), handle_(handle) {}

    /// A packed chunk with nothing in it and room for `capacity_bytes`, all in front of what comes
    /// or all behind it. Null without memory.
    [[nodiscard]] static Handle make(Arena& arena,
                                     std::size_t capacity_bytes,
                                     bool room_in_front) noexcept;
    /// A chunk of `value` alone, packed where it fits a slot, with room for `capacity_bytes` in
    /// that case. Null without memory.
    [[nodiscard]] static Handle make_with(Arena& arena,
                                          const packed_entry::Value& value,
                                          std::size_t capacity_bytes,
                                          bool room_in_front) noexcept;
    /// A copy of a chunk without its room; null without memory.
    [[nodiscard]] static Handle copy(Arena& arena, Handle handle) noexcept;
    static void free(Arena& arena, Handle handle) noexcept;
    /// What the chunk takes in the arena.
    [[nodiscard]] static std::size_t memory_bytes(const Arena& arena, Handle handle) noexcept;

    [[nodiscard]] bool is_alone() const noexcept { return begin() == kAlone; }
    /// The one element of a chunk that is alone.
    [[nodiscard]] packed_entry::Entry alone() const noexcept {
        return {.text = as_text({arena_->at(extent()), load<std::uint32_t>(at_ + 8)})};
    }
    /// The entries of a packed chunk.
    [[nodiscard]] MutableBytes bytes() const noexcept {
        return {at_ + begin(), std::size_t{end()} - begin()};
    }
    [[nodiscard]] PackedRun run() const noexcept { return PackedRun(bytes()); }
    /// What the entries take; of one alone, what its entry would.
    [[nodiscard]] std::size_t size_bytes() const noexcept;
    [[nodiscard]] std::size_t capacity_bytes() const noexcept {
        return arena_->slot_bytes(handle_) - kHeaderBytes;
    }
    /// Room for new entries without a larger slot. Packed chunks only.
    [[nodiscard]] std::size_t room_bytes() const noexcept {
        return capacity_bytes() - bytes().size();
    }

    /// Makes a gap of `gap_bytes` in front of the entry at `offset` and returns where to write.
    ///
    /// Units:    at most `room_bytes()`.
    [[nodiscard]] std::byte* open(std::size_t offset, std::size_t gap_bytes) noexcept;
    /// Takes the bytes from `offset` on out; the shorter side moves.
    void close(std::size_t offset, std::size_t gap_bytes) noexcept;

    /// Gives a packed chunk a slot for `capacity_bytes`; the room goes to one side. Null without
    /// memory, and the old chunk is as it was; it is freed otherwise.
    [[nodiscard]] static Handle resize(Arena& arena,
                                       Handle handle,
                                       std::size_t capacity_bytes,
                                       bool room_in_front) noexcept;

private:
    static constexpr std::uint16_t kAlone = 0xFFFF;
    static constexpr std::size_t kAloneBytes = 12;

    [[nodiscard]] std::uint16_t begin() const noexcept { return load<std::uint16_t>(at_); }
    [[nodiscard]] std::uint16_t end() const noexcept { return load<std::uint16_t>(at_ + 2); }
    void set_span(std::size_t begin_offset, std::size_t end_offset) noexcept {
        store_value(at_, static_cast<std::uint16_t>(begin_offset));
        store_value(at_ + 2, static_cast<std::uint16_t>(end_offset));
    }
    [[nodiscard]] ExtentId extent() const noexcept {
        return ExtentId{load<std::uint32_t>(at_ + 4)};
    }
    [[nodiscard]] static Handle make_alone(Arena& arena, std::string_view text) noexcept;

    const Arena* arena_;
    std::byte* at_;
    Handle handle_;
};

}  // namespace tern::store::lists
