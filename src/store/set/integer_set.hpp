#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "store/hash/splice.hpp"

namespace tern::store::sets {

/// A small set of integers, sorted, each as wide as the widest needs.
///
///     +---------+--------------------------
///     | width 1 | integer | integer | ...    width: 2, 4 or 8; little-endian
///     +---------+--------------------------
///
/// This is a view; changes are Splices that the owner of the bytes carries out.
///
/// Lifetime: of the bytes.
class IntegerSet {
public:
    static constexpr std::size_t kHeaderBytes = 1;

    /// Where a value is, or would be.
    struct Place {
        std::size_t index = 0;
        bool is_present = false;
    };

    explicit IntegerSet(Bytes bytes) noexcept : bytes_(bytes) {
        TERN_DCHECK(width() == 2 || width() == 4 || width() == 8);
    }

    [[nodiscard]] std::size_t width() const noexcept {
        return std::to_integer<std::size_t>(bytes_[0]);
    }
    [[nodiscard]] std::size_t size() const noexcept {
        return (bytes_.size() - kHeaderBytes) / width();
    }
    [[nodiscard]] std::int64_t at(std::size_t index) const noexcept {
        TERN_DCHECK(index < size());
        return read(bytes_.data(), width(), index);
    }
    [[nodiscard]] Place find(std::int64_t value) const noexcept;

    /// The change that makes room for an integer, which is no wider than the others, at `index`.
    [[nodiscard]] Splice insert(std::size_t index) const noexcept {
        return {offset_of(width(), index), 0, width()};
    }
    [[nodiscard]] Splice erase(std::size_t index) const noexcept {
        return {offset_of(width(), index), width(), 0};
    }

    /// The bytes that `value` needs: 2, 4 or 8.
    [[nodiscard]] static constexpr std::size_t width_of(std::int64_t value) noexcept {
        return fits<std::int16_t>(value) ? 2 : fits<std::int32_t>(value) ? 4 : 8;
    }
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t count,
                                                         std::size_t width) noexcept {
        return kHeaderBytes + count * width;
    }
    [[nodiscard]] static constexpr std::size_t offset_of(std::size_t width,
                                                         std::size_t index) noexcept {
        return kHeaderBytes + index * width;
    }
    static void write_width(std::byte* header, std::size_t width) noexcept {
        *header = static_cast<std::byte>(width);
    }
    /// Writes the integer at `index`.
    static void write(std::byte* bytes,
                      std::size_t width,
                      std::size_t index,
                      std::int64_t value) noexcept;
    /// Widens the first `count` integers at `bytes` in place, which has room for them, and leaves
    /// a gap at `gap`, the first or the last place.
    static void widen(std::byte* bytes,
                      std::size_t count,
                      std::size_t width,
                      std::size_t gap) noexcept;

private:
    template <typename T>
    [[nodiscard]] static constexpr bool fits(std::int64_t value) noexcept {
        return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
    }
    [[nodiscard]] static std::int64_t read(const std::byte* bytes,
                                           std::size_t width,
                                           std::size_t index) noexcept {
        const std::byte* const from = bytes + offset_of(width, index);
        return width == 2   ? load<std::int16_t>(from)
               : width == 4 ? load<std::int32_t>(from)
                            : load<std::int64_t>(from);
    }

    Bytes bytes_;
};

}  // namespace tern::store::sets
