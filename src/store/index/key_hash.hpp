#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

namespace tern::store {

/// Hashes keys, fields and members with a secret of this process (XXH3, 64 bits), so that a peer
/// cannot choose keys that meet in one bucket.
///
/// Threads:  immutable after construction.
class KeyHasher {
public:
    /// Derives the secret from `seed`: random bytes from the edge, fixed ones in tests.
    explicit KeyHasher(Bytes seed) noexcept;
    explicit KeyHasher(std::uint64_t seed) noexcept;

    [[nodiscard]] std::uint64_t operator()(std::string_view key) const noexcept;

private:
    static constexpr std::size_t kSecretBytes = 192;  // XXH3 wants 136 and uses 192 best
    std::array<unsigned char, kSecretBytes> secret_{};
};

}  // namespace tern::store
