#include "store/list/chunk.hpp"

#include <algorithm>
#include <cstring>
#include <tern/base/check.hpp>

namespace tern::store::lists {

using packed_entry::Value;

Handle Chunk::make(Arena& arena, std::size_t capacity_bytes, bool room_in_front) noexcept {
    static_assert(kSlotBytesMax < kAlone);
    const std::size_t slot_bytes = std::max(kHeaderBytes + capacity_bytes, kAloneBytes);
    const Handle handle = arena.allocate(slot_bytes);
    if (handle) {
        Chunk chunk(arena, handle);
        const std::size_t edge = room_in_front ? arena.slot_bytes(handle) : kHeaderBytes;
        chunk.set_span(edge, edge);
    }
    return handle;
}

Handle Chunk::make_alone(Arena& arena, std::string_view text) noexcept {
    if (text.size() > UINT32_MAX) {
        return {};
    }
    const Handle handle = arena.allocate(kAloneBytes);
    if (!handle) {
        return {};
    }
    const ExtentId extent = arena.allocate_extent(text.size());
    if (!extent) {
        arena.free(handle);
        return {};
    }
    std::byte* const at = arena.at(handle);
    store_value(at, kAlone);
    store_value(at + 4, extent.value);
    store_value(at + 8, static_cast<std::uint32_t>(text.size()));
    std::memcpy(arena.at(extent), text.data(), text.size());
    return handle;
}

Handle Chunk::make_with(Arena& arena,
                        const Value& value,
                        std::size_t capacity_bytes,
                        bool room_in_front) noexcept {
    const std::size_t entry_bytes = packed_entry::size_of(value);
    if (entry_bytes > kPackedBytesMax) {
        return make_alone(arena, value.text);
    }
    const Handle handle =
        make(arena, std::clamp(capacity_bytes, entry_bytes, kPackedBytesMax), room_in_front);
    if (handle) {
        packed_entry::write(Chunk(arena, handle).open(0, entry_bytes), value);
    }
    return handle;
}

Handle Chunk::copy(Arena& arena, Handle handle) noexcept {
    const Chunk from(arena, handle);
    if (from.is_alone()) {
        return make_alone(arena, from.alone().text);
    }
    const Handle fresh = make(arena, from.bytes().size(), false);
    if (fresh) {
        std::memcpy(Chunk(arena, fresh).open(0, from.bytes().size()),
                    from.bytes().data(),
                    from.bytes().size());
    }
    return fresh;
}

void Chunk::free(Arena& arena, Handle handle) noexcept {
    const Chunk chunk(arena, handle);
    if (chunk.is_alone()) {
        arena.free(chunk.extent());
    }
    arena.free(handle);
}

std::size_t Chunk::memory_bytes(const Arena& arena, Handle handle) noexcept {
    const Chunk chunk(arena, handle);
    return arena.slot_bytes(handle) + (chunk.is_alone() ? arena.extent_bytes(chunk.extent()) : 0);
}

std::size_t Chunk::size_bytes() const noexcept {
    if (!is_alone()) {
        return bytes().size();
    }
    Value value;
    value.text = alone().text;
    return packed_entry::size_of(value);
}

std::byte* Chunk::open(std::size_t offset, std::size_t gap_bytes) noexcept {
    const std::size_t from = begin();
    const std::size_t to = end();
    const std::size_t size = to - from;
    const std::size_t limit = kHeaderBytes + capacity_bytes();
    const std::size_t room_in_front = from - kHeaderBytes;
    const std::size_t room_behind = limit - to;
    TERN_CHECK(!is_alone() && offset <= size && room_in_front + room_behind >= gap_bytes);
    std::size_t fresh = from;  // where the entries begin afterwards
    if (room_in_front >= gap_bytes && (offset <= size / 2 || room_behind < gap_bytes)) {
        fresh = from - gap_bytes;
    } else if (room_behind < gap_bytes) {
        // Neither side has room alone: all of it goes to the side that is pushed to.
        fresh = offset <= size / 2 ? limit - size - gap_bytes : kHeaderBytes;
    }
    const auto move = [this](std::size_t target, std::size_t source, std::size_t count) {
        if (target != source) {
            std::memmove(at_ + target, at_ + source, count);
        }
    };
    const std::size_t tail = fresh + offset + gap_bytes;
    if (fresh <= from) {
        move(fresh, from, offset);
        move(tail, from + offset, size - offset);
    } else {
        move(tail, from + offset, size - offset);
        move(fresh, from, offset);
    }
    set_span(fresh, fresh + size + gap_bytes);
    return at_ + fresh + offset;
}

void Chunk::close(std::size_t offset, std::size_t gap_bytes) noexcept {
    const std::size_t from = begin();
    const std::size_t to = end();
    TERN_CHECK(!is_alone() && offset + gap_bytes <= to - from);
    const std::size_t behind = to - from - offset - gap_bytes;
    if (offset < behind) {
        std::memmove(at_ + from + gap_bytes, at_ + from, offset);
        set_span(from + gap_bytes, to);
    } else {
        std::memmove(at_ + from + offset, at_ + from + offset + gap_bytes, behind);
        set_span(from, to - gap_bytes);
    }
}

Handle Chunk::resize(Arena& arena,
                     Handle handle,
                     std::size_t capacity_bytes,
                     bool room_in_front) noexcept {
    const Bytes bytes = Chunk(arena, handle).bytes();
    TERN_CHECK(capacity_bytes >= bytes.size());
    const Handle fresh = make(arena, capacity_bytes, room_in_front);
    if (fresh) {
        std::memcpy(Chunk(arena, fresh).open(0, bytes.size()), bytes.data(), bytes.size());
        arena.free(handle);
    }
    return fresh;
}

}  // namespace tern::store::lists
