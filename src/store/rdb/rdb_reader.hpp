#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "store/rdb/rdb_format.hpp"

namespace tern::store::rdb {

/// A string of a payload: it lies in the payload or, when it was packed, in a buffer of its own.
class RdbText {
public:
    [[nodiscard]] std::string_view view() const noexcept { return view_; }
    [[nodiscard]] Bytes bytes() const noexcept { return as_bytes(view_); }

private:
    friend class RdbReader;
    std::string_view view_;
    std::string buffer_;
};

/// Reads the parts of values in Redis's dump format; every byte comes from outside.
///
/// Errors:   false, and where the reader stands then means nothing. Nothing is allocated for a
///           length that the payload cannot fill.
/// Lifetime: of the bytes.
class RdbReader {
public:
    explicit RdbReader(Bytes bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }
    [[nodiscard]] bool is_at_end() const noexcept { return left() == 0; }
    [[nodiscard]] bool byte(std::uint8_t& value) noexcept;
    [[nodiscard]] bool raw(std::size_t size_bytes, Bytes& out) noexcept;
    [[nodiscard]] bool length(std::uint64_t& value) noexcept;
    [[nodiscard]] bool text(RdbText& out);
    [[nodiscard]] bool number(double& value) noexcept;
    [[nodiscard]] bool number(std::uint64_t& value) noexcept;
    [[nodiscard]] bool number(std::int64_t& value) noexcept;
    /// A score as versions before 8 wrote it: a length of one byte and digits.
    [[nodiscard]] bool old_score(double& value) noexcept;

private:
    [[nodiscard]] bool length_or_kind(std::uint64_t& value, bool& is_kind) noexcept;
    [[nodiscard]] bool packed_integer(StringKind kind, RdbText& out);
    [[nodiscard]] bool compressed(RdbText& out);

    Bytes bytes_;
    std::size_t at_ = 0;
};

}  // namespace tern::store::rdb
