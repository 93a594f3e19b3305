#include "store/set/integer_set.hpp"

namespace tern::store::sets {

IntegerSet::Place IntegerSet::find(std::int64_t value) const noexcept {
    std::size_t first = 0;
    std::size_t last = size();
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (at(middle) < value) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return {first, first < size() && at(first) == value};
}

void IntegerSet::write(std::byte* bytes,
                       std::size_t width,
                       std::size_t index,
                       std::int64_t value) noexcept {
    TERN_DCHECK(width_of(value) <= width);
    std::byte* const to = bytes + offset_of(width, index);
    switch (width) {
        case 2:
            store_value(to, static_cast<std::int16_t>(value));
            break;
        case 4:
            store_value(to, static_cast<std::int32_t>(value));
            break;
        default:
            store_value(to, value);
    }
}

void IntegerSet::widen(std::byte* bytes,
                       std::size_t count,
                       std::size_t width,
                       std::size_t gap) noexcept {
    const auto old_width = std::to_integer<std::size_t>(bytes[0]);
    TERN_CHECK(old_width < width && (gap == 0 || gap == count));
    // From the back: what is written lies behind everything that is still to be read.
    for (std::size_t i = count; i-- > 0;) {
        write(bytes, width, gap == 0 ? i + 1 : i, read(bytes, old_width, i));
    }
    write_width(bytes, width);
}

}  // namespace tern::store::sets
