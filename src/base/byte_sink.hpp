#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <tern/base/check.hpp>

namespace tern {

/// Copies `text` to `to` and returns the first byte behind it. Unlike memcpy it takes an empty view
/// that points nowhere.
inline char* put_text(char* to, std::string_view text) noexcept {
    if (!text.empty()) {
        std::memcpy(to, text.data(), text.size());
    }
    return to + text.size();
}

/// Where encoders write: contiguous memory that a transport owns, growing only when it must.
///
/// `reserve(n)` is a compare and a pointer in the common case; a transport overrides `grow` to
/// supply more (a larger buffer, a spill out of the ring). Bytes already written keep their offsets
/// from `begin()`, but pointers do not survive a later `reserve`.
///
/// Threads:  one thread at a time.
/// Errors:   none here: a sink with a limit keeps accepting, into memory it may discard, and its
/// owner
///           asks afterwards.
class ByteSink {
public:
    ByteSink(const ByteSink&) = delete;
    ByteSink& operator=(const ByteSink&) = delete;

    /// At least `length_bytes` writable bytes; publish what was written with `advance`.
    [[nodiscard]] char* reserve(std::size_t length_bytes) {
        if (__builtin_expect(static_cast<std::size_t>(end_ - position_) < length_bytes, 0)) {
            grow(length_bytes);
            TERN_DCHECK(static_cast<std::size_t>(end_ - position_) >= length_bytes);
        }
        return position_;
    }
    void advance(std::size_t length_bytes) noexcept {
        TERN_DCHECK(static_cast<std::size_t>(end_ - position_) >= length_bytes);
        position_ += length_bytes;
    }
    void append(std::string_view text) { position_ = put_text(reserve(text.size()), text); }
    void append(char c) {
        *reserve(1) = c;
        ++position_;
    }

    [[nodiscard]] char* begin() noexcept { return begin_; }
    [[nodiscard]] const char* begin() const noexcept { return begin_; }
    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(position_ - begin_);
    }
    [[nodiscard]] std::size_t room() const noexcept {
        return static_cast<std::size_t>(end_ - position_);
    }
    [[nodiscard]] std::string_view view() const noexcept { return {begin_, size()}; }

    /// Takes back what was written after `size_bytes`.
    void truncate(std::size_t size_bytes) noexcept {
        TERN_DCHECK(size_bytes <= size());
        position_ = begin_ + size_bytes;
    }

protected:
    ByteSink() = default;
    ~ByteSink() = default;

    /// Makes room for `length_bytes` more by calling `reset_window`. Never fails.
    virtual void grow(std::size_t length_bytes) = 0;

    void reset_window(char* begin, std::size_t size_bytes, std::size_t capacity_bytes) noexcept {
        begin_ = begin;
        position_ = begin + size_bytes;
        end_ = begin + capacity_bytes;
    }

private:
    char* begin_ = nullptr;
    char* position_ = nullptr;
    char* end_ = nullptr;
};

/// A sink in ordinary memory that doubles when it is full and keeps its capacity when cleared.
class BufferSink final : public ByteSink {
public:
    BufferSink() = default;
    ~BufferSink() { ::operator delete(begin()); }

    void clear() noexcept { truncate(0); }
    [[nodiscard]] std::size_t capacity() const noexcept { return size() + room(); }
    /// Gives the memory back; the sink is empty afterwards.
    void release() noexcept {
        ::operator delete(begin());
        reset_window(nullptr, 0, 0);
    }
    /// Drops the first `length_bytes` and moves the rest to the front.
    void drop_front(std::size_t length_bytes) noexcept {
        const std::size_t rest_bytes = size() - length_bytes;
        std::memmove(begin(), begin() + length_bytes, rest_bytes);
        truncate(rest_bytes);
    }

private:
    void grow(std::size_t length_bytes) override {
        constexpr std::size_t kFirstCapacityBytes = 512;
        const std::size_t used_bytes = size();
        std::size_t capacity_bytes =
            capacity() < kFirstCapacityBytes ? kFirstCapacityBytes : capacity() * 2;
        if (capacity_bytes < used_bytes + length_bytes) {
            capacity_bytes = used_bytes + length_bytes;
        }
        char* grown = static_cast<char*>(::operator new(capacity_bytes));
        if (used_bytes != 0) {
            std::memcpy(grown, begin(), used_bytes);
        }
        ::operator delete(begin());
        reset_window(grown, used_bytes, capacity_bytes);
    }
};

}  // namespace tern
