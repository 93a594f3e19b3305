#pragma once

namespace tern {

/// Asks for the cache line at `address`, to read it soon. Never faults, whatever the address.
///
/// The empty asm keeps the request alive: g++ 12 takes a function that does nothing but
/// `__builtin_prefetch` for a pure one without a result, and drops every call of it that it has not
/// inlined before.
[[gnu::always_inline]] inline void prefetch_line(const void* address) noexcept {
    __builtin_prefetch(address);
    asm volatile("");
}

}  // namespace tern
