#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <tern/base/check.hpp>

#include "store/hash/length_code.hpp"
#include "store/memory/arena.hpp"

namespace tern::store {

/// What a key holds. The numbers are in memory only.
enum class Type : std::uint8_t { kString, kList, kSet, kZset, kHash, kStream };
inline constexpr std::size_t kTypeCount = 6;

/// Where a value lies.
enum class Form : std::uint8_t {
    kInline,  ///< behind the key, in the entry's slot
    kExtent,  ///< in an extent of its own: too large for a slot
    kObject,  ///< an object of the type's module; the entry has the pointer
};

/// A key's time to live is over when the clock is past this; none is kNeverExpires.
using ExpireAtMs = std::int64_t;
inline constexpr ExpireAtMs kNeverExpires = std::numeric_limits<ExpireAtMs>::max();

/// The bytes of one key, its expiry and its value or the way to it, in one slot of the arena.
///
///     0      1        4            4 or 12
///     +------+--------+------------+------------------+-----+-------------------------------+
///     | meta | stamp  | expire_at  | key length code  | key | value length code and value   |
///     kInline
///     |      |        | if it has  | or 255 and the   |     | or extent 4, length 4         |
///     kExtent
///     |      |        | one: 8     | key's extent 8   |     | or pointer 8                  |
///     kObject
///     +------+--------+------------+------------------+-----+-------------------------------+
///     meta: type in bits 0-2, form in 3-4, has_expiry in 5, mark in 6-7
///
/// Nothing but the slot is aligned. A string key of 16 bytes with a value of 16 takes a slot of 40.
///
/// Lifetime: a view; until the entry moves or goes.
class Entry {
public:
    static constexpr std::size_t kHeaderBytes = 4;
    static constexpr std::size_t kExpiryBytes = 8;
    static constexpr std::size_t kReferenceBytes = 8;  ///< extent and length, or a pointer
    /// Longer keys lie in an extent.
    static constexpr std::size_t kKeyInlineMax = 16 * 1024;
    static constexpr std::uint32_t kStampMask = 0xFFFFFF;

    Entry() = default;
    explicit Entry(std::byte* at) noexcept : at_(at) {}

    [[nodiscard]] Type type() const noexcept { return static_cast<Type>(meta() & kTypeMask); }
    [[nodiscard]] Form form() const noexcept {
        return static_cast<Form>((meta() >> kFormShift) & 3);
    }
    [[nodiscard]] bool has_expiry() const noexcept { return (meta() & kExpiryBit) != 0; }
    /// Two bits for the type's module, 0 in a new value: strings say there how they were made.
    [[nodiscard]] unsigned mark() const noexcept { return meta() >> kMarkShift; }
    void set_mark(unsigned mark) noexcept {
        TERN_DCHECK(mark <= kMarkMax);
        *at_ = static_cast<std::byte>((meta() & ((1U << kMarkShift) - 1)) | mark << kMarkShift);
    }

    /// The 24 bits that say when or how often the key was used.
    [[nodiscard]] std::uint32_t stamp() const noexcept { return load<std::uint32_t>(at_) >> 8; }
    void set_stamp(std::uint32_t stamp) noexcept {
        store_value(at_, static_cast<std::uint32_t>(stamp << 8 | meta()));
    }

    /// Units:    milliseconds since 1970; kNeverExpires without an expiry.
    [[nodiscard]] ExpireAtMs expire_at_ms() const noexcept {
        return has_expiry() ? load<ExpireAtMs>(at_ + kHeaderBytes) : kNeverExpires;
    }
    void write_expire_at_ms(ExpireAtMs value) noexcept {
        TERN_DCHECK(has_expiry());
        store_value(at_ + kHeaderBytes, value);
    }

    [[nodiscard]] std::string_view key(const Arena& arena) const noexcept {
        const std::byte* from = key_code();
        if (*from == length_code::kElsewhere) [[unlikely]] {
            const ExtentId extent{load<std::uint32_t>(from + 1)};
            return as_text({arena.at(extent), load<std::uint32_t>(from + 5)});
        }
        const std::size_t length = length_code::read(from);
        return as_text({from, length});
    }

    /// Where the part behind the key begins: a length code, an extent reference or a pointer.
    [[nodiscard]] std::byte* tail() const noexcept {
        const std::byte* from = key_code();
        if (*from == length_code::kElsewhere) [[unlikely]] {
            return const_cast<std::byte*>(from) + 1 + kReferenceBytes;
        }
        const std::size_t length = length_code::read(from);
        return const_cast<std::byte*>(from) + length;
    }

    /// The extent of a long key, or null.
    [[nodiscard]] ExtentId key_extent() const noexcept {
        const std::byte* from = key_code();
        return *from == length_code::kElsewhere ? ExtentId{load<std::uint32_t>(from + 1)}
                                                : ExtentId{};
    }

    /// The bytes of the value. Not for kObject.
    [[nodiscard]] MutableBytes value(const Arena& arena) const noexcept {
        TERN_DCHECK(form() != Form::kObject);
        std::byte* from = tail();
        if (form() == Form::kExtent) [[unlikely]] {
            return {arena.at(ExtentId{load<std::uint32_t>(from)}), load<std::uint32_t>(from + 4)};
        }
        const std::byte* begin = from;
        const std::size_t length = length_code::read(begin);
        return {from + (begin - from), length};
    }

    [[nodiscard]] ExtentId value_extent() const noexcept {
        return form() == Form::kExtent ? ExtentId{load<std::uint32_t>(tail())} : ExtentId{};
    }
    [[nodiscard]] void* object() const noexcept {
        TERN_DCHECK(form() == Form::kObject);
        return reinterpret_cast<void*>(load<std::uintptr_t>(tail()));
    }

    [[nodiscard]] std::byte* begin() const noexcept { return at_; }

    /// How many bytes the part up to and with the key takes.
    [[nodiscard]] static constexpr std::size_t head_bytes(std::size_t key_bytes,
                                                          bool has_expiry) noexcept {
        const std::size_t key_part = key_bytes <= kKeyInlineMax
                                         ? length_code::size_of(key_bytes) + key_bytes
                                         : 1 + kReferenceBytes;
        return kHeaderBytes + (has_expiry ? kExpiryBytes : 0) + key_part;
    }
    /// How many bytes an entry with an inline value takes.
    [[nodiscard]] static constexpr std::size_t inline_bytes(std::size_t head_bytes,
                                                            std::size_t value_bytes) noexcept {
        return head_bytes + length_code::size_of(value_bytes) + value_bytes;
    }

    /// Writes the first byte and the stamp.
    void write_header(
        Type type, Form form, bool has_expiry, unsigned mark, std::uint32_t stamp) noexcept {
        const auto meta = static_cast<std::uint32_t>(
            static_cast<unsigned>(type) | static_cast<unsigned>(form) << kFormShift |
            (has_expiry ? kExpiryBit : 0U) | mark << kMarkShift);
        store_value(at_, stamp << 8 | meta);
    }
    [[nodiscard]] std::byte* key_code() const noexcept {
        return at_ + kHeaderBytes + (has_expiry() ? kExpiryBytes : 0);
    }

private:
    static constexpr unsigned kTypeMask = 7;
    static constexpr unsigned kFormShift = 3;
    static constexpr unsigned kExpiryBit = 1U << 5;
    static constexpr unsigned kMarkShift = 6;
    static constexpr unsigned kMarkMax = 3;

    [[nodiscard]] unsigned meta() const noexcept { return std::to_integer<unsigned>(*at_); }

    std::byte* at_ = nullptr;
};

static_assert(Entry::inline_bytes(Entry::head_bytes(16, false), 16) == 38);

/// A key that a look-up found: what commands hold while they work on it.
///
/// Lifetime: until the next change of its database by anything but a call that takes this
/// reference.
class EntryRef {
public:
    EntryRef() = default;
    EntryRef(const Arena& arena, Handle handle, std::uint64_t hash) noexcept
        : arena_(&arena), entry_(arena.at(handle)), hash_(hash), handle_(handle) {}

    /// Whether there is a key.
    [[nodiscard]] explicit operator bool() const noexcept { return arena_ != nullptr; }

    [[nodiscard]] std::string_view key() const noexcept { return entry_.key(*arena_); }
    [[nodiscard]] Type type() const noexcept { return entry_.type(); }
    [[nodiscard]] Form form() const noexcept { return entry_.form(); }
    [[nodiscard]] bool is_object() const noexcept { return entry_.form() == Form::kObject; }
    [[nodiscard]] bool has_expiry() const noexcept { return entry_.has_expiry(); }
    [[nodiscard]] ExpireAtMs expire_at_ms() const noexcept { return entry_.expire_at_ms(); }
    [[nodiscard]] unsigned mark() const noexcept { return entry_.mark(); }
    void set_mark(unsigned mark) noexcept { entry_.set_mark(mark); }
    [[nodiscard]] std::uint32_t stamp() const noexcept { return entry_.stamp(); }
    void set_stamp(std::uint32_t stamp) noexcept { entry_.set_stamp(stamp & Entry::kStampMask); }

    /// The value's bytes, to read and to change in place. Not for objects.
    [[nodiscard]] MutableBytes value() const noexcept { return entry_.value(*arena_); }
    [[nodiscard]] std::string_view text() const noexcept { return as_text(entry_.value(*arena_)); }
    /// The value as an object of the type's module.
    template <typename T>
    [[nodiscard]] T& object() const noexcept {
        return *static_cast<T*>(entry_.object());
    }

    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] Handle handle() const noexcept { return handle_; }
    [[nodiscard]] Entry& entry() noexcept { return entry_; }
    [[nodiscard]] const Entry& entry() const noexcept { return entry_; }

private:
    const Arena* arena_ = nullptr;
    Entry entry_;
    std::uint64_t hash_ = 0;
    Handle handle_;
};

}  // namespace tern::store
