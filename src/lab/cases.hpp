#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <tern/client/client.hpp>

#include "lab/samples.hpp"

/// Single operations through the public client: what `tern lab local` and `tern lab quick` time.
namespace tern::lab {

enum class Operation : std::uint8_t {
    kPing,
    kSet,  ///< a 16-byte value under one key
    kGet,
    kZadd1,   ///< one member of a sorted set that has it
    kZadd10,  ///< ten members of a sorted set that has them
    kHset1,
    kHset10,
};

inline constexpr Operation kAllOperations[] = {Operation::kPing,
                                               Operation::kSet,
                                               Operation::kGet,
                                               Operation::kZadd1,
                                               Operation::kZadd10,
                                               Operation::kHset1,
                                               Operation::kHset10};

/// The operation's name in tables: "PING", "SET 16 B", "ZADD 10".
[[nodiscard]] std::string_view to_string(Operation operation) noexcept;
[[nodiscard]] std::string_view to_string(Protocol protocol) noexcept;

struct TimingOptions {
    std::size_t warmup_count = 10'000;
    std::size_t sample_count = 100'000;
    /// Ends the samples early, 0 never; looked at every 64 samples.
    std::int64_t time_limit_ns = 0;
};

/// Times one operation with one request outstanding. Creates the data that it works on first.
///
/// Errors:   the first call that the server refuses, with its text.
[[nodiscard]] Result<Samples> time_operation(Client& client,
                                             Operation operation,
                                             const TimingOptions& options);

}  // namespace tern::lab
