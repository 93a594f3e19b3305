#pragma once

#include <cstdint>

#if defined(__SSE2__)
    #include <emmintrin.h>
#endif

namespace tern::store::detail {

/// A bit for each of the 16 bytes from `tags` on that equals `tag`, the first in bit 0.
[[nodiscard]] inline std::uint32_t match_tags(const std::uint8_t* tags, std::uint8_t tag) noexcept {
#if defined(__SSE2__)
    const __m128i line = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags));
    const __m128i same = _mm_cmpeq_epi8(line, _mm_set1_epi8(static_cast<char>(tag)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(same));
#else
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 16; ++i) {
        mask |= static_cast<std::uint32_t>(tags[i] == tag) << i;
    }
    return mask;
#endif
}

}  // namespace tern::store::detail
