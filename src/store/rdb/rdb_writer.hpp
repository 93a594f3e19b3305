#pragma once

#include <cstdint>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "base/byte_sink.hpp"
#include "store/rdb/rdb_format.hpp"

namespace tern::store::rdb {

/// Writes the parts of values in Redis's dump format.
///
/// Lifetime: the sink outlives it.
class RdbWriter {
public:
    /// `compresses`: long strings are tried with LZF.
    RdbWriter(ByteSink& sink, bool compresses) noexcept : sink_(sink), compresses_(compresses) {}

    void kind(ValueKind kind) { byte(static_cast<std::uint8_t>(kind)); }
    void byte(std::uint8_t value) { sink_.append(static_cast<char>(value)); }
    void length(std::uint64_t value);
    /// A string: as a number where it is one of 32 bits, compressed where that helps.
    void text(std::string_view text);
    /// Eight bytes, the lowest first.
    void number(double value);
    void number(std::uint64_t value);
    void raw(std::string_view bytes) { sink_.append(bytes); }
    [[nodiscard]] bool compresses() const noexcept { return compresses_; }

private:
    [[nodiscard]] bool try_integer(std::string_view text);
    [[nodiscard]] bool try_compressed(std::string_view text);
    [[nodiscard]] std::byte* room(std::size_t size_bytes) {
        return reinterpret_cast<std::byte*>(sink_.reserve(size_bytes));
    }

    ByteSink& sink_;
    bool compresses_;
};

}  // namespace tern::store::rdb
