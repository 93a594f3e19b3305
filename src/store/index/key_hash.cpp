#include "store/index/key_hash.hpp"

#define XXH_INLINE_ALL
#ifndef NDEBUG
    #define XXH_NO_INLINE_HINTS 1  // GCC with -Og refuses some of its always_inline functions
#endif
#include <xxhash.h>

#include <tern/base/check.hpp>

namespace tern::store {

KeyHasher::KeyHasher(Bytes seed) noexcept {
    const XXH_errorcode outcome =
        XXH3_generateSecret(secret_.data(), secret_.size(), seed.data(), seed.size());
    TERN_CHECK(outcome == XXH_OK);
}

KeyHasher::KeyHasher(std::uint64_t seed) noexcept
    : KeyHasher(std::as_bytes(std::span<const std::uint64_t, 1>(&seed, 1))) {}

std::uint64_t KeyHasher::operator()(std::string_view key) const noexcept {
    return XXH3_64bits_withSecret(key.data(), key.size(), secret_.data(), secret_.size());
}

}  // namespace tern::store
