#pragma once

#include "store/keyspace/database.hpp"

/// What the sources of Database share: an entry's parts while it is rebuilt. Not for others.
namespace tern::store {

/// Everything in front of the value but the key.
struct Database::Head {
    Type type = Type::kString;
    unsigned mark = 0;
    std::uint32_t stamp = 0;
    ExpireAtMs expire_at_ms = kNeverExpires;

    [[nodiscard]] bool has_expiry() const noexcept { return expire_at_ms != kNeverExpires; }
    [[nodiscard]] std::size_t size_bytes(std::string_view key) const noexcept {
        return Entry::head_bytes(key.size(), has_expiry());
    }
};

/// A value, or the way to it.
struct Database::Body {
    Form form = Form::kInline;
    std::uint32_t length_bytes = 0;  ///< not for objects
    ExtentId extent = {};
    void* object = nullptr;

    [[nodiscard]] std::size_t size_bytes() const noexcept {
        return form == Form::kInline ? length_code::size_of(length_bytes) + length_bytes
                                     : Entry::kReferenceBytes;
    }
};

}  // namespace tern::store
