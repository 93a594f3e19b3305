#include "base/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <tern/base/check.hpp>

namespace tern {

void fill_with_entropy(MutableBytes bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t filled = ::getrandom(bytes.data(), bytes.size(), 0);
        if (filled > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(filled));
        } else {
            TERN_CHECK(filled < 0 && errno == EINTR);
        }
    }
}

std::uint64_t entropy_u64() noexcept {
    std::uint64_t value = 0;
    fill_with_entropy({reinterpret_cast<std::byte*>(&value), sizeof value});
    return value;
}

}  // namespace tern
