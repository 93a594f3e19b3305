#pragma once

#include <cstdio>
#include <cstdlib>

/// Our own mistakes. TERN_CHECK is always on and guards what would corrupt memory or data;
/// TERN_DCHECK is for everything else and vanishes from builds with NDEBUG.
/// Bytes from outside are never a reason for either: they are an error with offset and reason.
namespace tern::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void check_failed(const char* expression,
                                                                const char* file,
                                                                int line) noexcept {
    std::fprintf(stderr, "tern: check failed: %s (%s:%d)\n", expression, file, line);
    std::abort();
}

}  // namespace tern::detail

#define TERN_CHECK(condition)                          \
    (__builtin_expect(static_cast<bool>(condition), 1) \
         ? static_cast<void>(0)                        \
         : ::tern::detail::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
    #define TERN_DCHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
    #define TERN_DCHECK(condition) TERN_CHECK(condition)
#endif
