#include "store/string/strings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/number_text.hpp"

namespace tern::store::strings {
namespace {

/// Redis embeds strings up to this length in their object: reference/redis.md, encodings.
constexpr std::size_t kEmbstrBytesMax = 44;

/// How a value was made, in the entry's mark.
constexpr unsigned kMarkWhole = 0;   ///< set at once: the text decides the encoding
constexpr unsigned kMarkEdited = 1;  ///< APPEND, SETRANGE: raw
constexpr unsigned kMarkFloat = 2;   ///< INCRBYFLOAT: never "int"

/// An existing string, kMissing or kWrongType.
Status check_string(const EntryRef& ref) noexcept {
    if (!ref) {
        return Status::kMissing;
    }
    return ref.type() == Type::kString ? Status::kOk : Status::kWrongType;
}

/// Stores a whole new text, keeping the time to live.
EntryRef store_text(Database& database,
                    const Target& target,
                    std::string_view text,
                    unsigned mark) {
    EntryRef ref = database.assign(
        target.found, target.key, target.hash, Type::kString, text.size(), Deadline::keep());
    if (ref) {
        std::memcpy(ref.value().data(), text.data(), text.size());
        ref.set_mark(mark);
        database.mark_modified(ref);
    }
    return ref;
}

}  // namespace

Encoding encoding_of(const EntryRef& ref) noexcept {
    const std::string_view text = ref.text();
    if (ref.mark() == kMarkEdited || text.size() > kEmbstrBytesMax) {
        return Encoding::kRaw;
    }
    std::int64_t value = 0;
    const bool is_int = ref.mark() == kMarkWhole && parse_int64(text, value);
    return is_int ? Encoding::kInt : Encoding::kEmbstr;
}

void set_edited(EntryRef& ref) noexcept {
    ref.set_mark(kMarkEdited);
}

Text get(Database& database, std::string_view key) {
    const EntryRef ref = database.find(key);
    const Status status = check_string(ref);
    return status == Status::kOk ? Text{status, ref.text(), ref} : Text{status, {}, {}};
}

Status set(Database& database,
           const Target& target,
           std::string_view value,
           const SetOptions& options) {
    const bool is_there = static_cast<bool>(target.found);
    if ((options.condition == Condition::kIfMissing && is_there) ||
        (options.condition == Condition::kIfPresent && !is_there)) {
        return Status::kRefused;
    }
    if (std::byte* place = database.overwrite_same_length(
            target.found, Type::kString, value.size(), options.deadline)) [[likely]] {
        std::memcpy(place, value.data(), value.size());
        database.mark_modified(target.found);
        return Status::kOk;
    }
    if (value.size() > kStringBytesMax) {
        return Status::kTooLarge;
    }
    const EntryRef ref = database.assign(
        target.found, target.key, target.hash, Type::kString, value.size(), options.deadline);
    if (!ref) {
        return Status::kOutOfMemory;
    }
    std::memcpy(ref.value().data(), value.data(), value.size());
    database.mark_modified(ref);
    return Status::kOk;
}

Status set(Database& database,
           std::string_view key,
           std::string_view value,
           const SetOptions& options) {
    return set(database, look_up(database, key), value, options);
}

Status set_all(Database& database,
               std::span<const std::pair<std::string_view, std::string_view>> pairs) {
    for (const auto& [key, value] : pairs) {
        if (const Status status = set(database, key, value); status != Status::kOk) {
            return status;
        }
    }
    return Status::kOk;
}

Status set_all_if_missing(Database& database,
                          std::span<const std::pair<std::string_view, std::string_view>> pairs) {
    for (const auto& [key, value] : pairs) {
        if (database.peek(key)) {
            return Status::kRefused;
        }
    }
    return set_all(database, pairs);
}

Text get_and_expire(Database& database, std::string_view key, Deadline deadline) {
    Text found = get(database, key);
    if (found.status != Status::kOk || deadline.kind == Deadline::Kind::kKeep) {
        return found;
    }
    const bool had_expiry = found.ref.has_expiry();
    const bool is_done = deadline.kind == Deadline::Kind::kAt
                             ? database.set_expiry(found.ref, deadline.at_ms)
                             : database.persist(found.ref);
    if (!is_done) {
        return {Status::kOutOfMemory, {}, {}};
    }
    if (had_expiry || deadline.kind == Deadline::Kind::kAt) {
        database.mark_modified(found.ref);
    }
    found.text = found.ref.text();
    return found;
}

Length length(Database& database, std::string_view key) {
    const Text found = get(database, key);
    return {found.status == Status::kMissing ? Status::kOk : found.status, found.text.size()};
}

Length append(Database& database,
              std::string_view key,
              std::string_view suffix,
              std::size_t string_bytes_max) {
    const Target target = look_up(database, key);
    EntryRef ref = target.found;
    if (!ref) {
        return {
            suffix.size() > string_bytes_max ? Status::kTooLarge : set(database, target, suffix),
            suffix.size()};
    }
    if (const Status status = check_string(ref); status != Status::kOk) {
        return {status, 0};
    }
    const std::size_t old_bytes = ref.value().size();
    const std::size_t new_bytes = old_bytes + suffix.size();
    if (new_bytes > string_bytes_max) {
        return {Status::kTooLarge, old_bytes};
    }
    if (!database.resize_value(ref, new_bytes)) {
        return {Status::kOutOfMemory, old_bytes};
    }
    std::memcpy(ref.value().data() + old_bytes, suffix.data(), suffix.size());
    ref.set_mark(kMarkEdited);
    database.mark_modified(ref);
    return {Status::kOk, new_bytes};
}

Length set_range(Database& database,
                 std::string_view key,
                 std::size_t offset,
                 std::string_view bytes,
                 std::size_t string_bytes_max) {
    const Target target = look_up(database, key);
    EntryRef ref = target.found;
    if (const Status status = check_string(ref); status == Status::kWrongType) {
        return {status, 0};
    }
    const std::size_t old_bytes = ref ? ref.value().size() : 0;
    if (bytes.empty()) {
        return {Status::kOk, old_bytes};
    }
    if (offset > string_bytes_max || bytes.size() > string_bytes_max - offset) {
        return {Status::kTooLarge, old_bytes};
    }
    const std::size_t end = offset + bytes.size();
    const std::size_t new_bytes = std::max(old_bytes, end);
    if (!ref) {
        ref = database.assign(ref, key, target.hash, Type::kString, new_bytes, Deadline::none());
        if (!ref) {
            return {Status::kOutOfMemory, 0};
        }
    } else if (!database.resize_value(ref, new_bytes)) {
        return {Status::kOutOfMemory, old_bytes};
    }
    std::byte* value = ref.value().data();
    if (offset > old_bytes) {
        std::memset(value + old_bytes, 0, offset - old_bytes);
    }
    std::memcpy(value + offset, bytes.data(), bytes.size());
    ref.set_mark(kMarkEdited);
    database.mark_modified(ref);
    return {Status::kOk, new_bytes};
}

Text range(Database& database, std::string_view key, std::int64_t first, std::int64_t last) {
    Text found = get(database, key);
    if (found.status != Status::kOk) {
        return found;
    }
    const auto size = static_cast<std::int64_t>(found.text.size());
    const bool is_reversed = first < 0 && last < 0 && first > last;
    first = std::max<std::int64_t>(first < 0 ? first + size : first, 0);
    last = std::max<std::int64_t>(last < 0 ? last + size : last, 0);
    last = std::min(last, size - 1);
    if (is_reversed || first > last) {
        found.text = {};
        return found;
    }
    found.text = found.text.substr(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(last - first + 1));
    return found;
}

Integer increment(Database& database, std::string_view key, std::int64_t by) {
    const Target target = look_up(database, key);
    std::int64_t value = 0;
    if (target.found) {
        if (target.found.type() != Type::kString) {
            return {Status::kWrongType, 0};
        }
        if (!parse_int64(target.found.text(), value)) {
            return {Status::kNotInteger, 0};
        }
    }
    if (__builtin_add_overflow(value, by, &value)) {
        return {Status::kOverflow, 0};
    }
    char text[kInt64TextBytes];
    const std::size_t length_bytes = format_int64(text, value);
    const EntryRef ref = store_text(database, target, {text, length_bytes}, kMarkWhole);
    return ref ? Integer{Status::kOk, value} : Integer{Status::kOutOfMemory, 0};
}

Text increment_float(Database& database, std::string_view key, long double by) {
    const Target target = look_up(database, key);
    long double value = 0;
    if (target.found) {
        if (target.found.type() != Type::kString) {
            return {Status::kWrongType, {}, {}};
        }
        if (!parse_long_double(target.found.text(), value)) {
            return {Status::kNotFloat, {}, {}};
        }
    }
    value += by;
    if (!std::isfinite(value)) {
        return {Status::kNotFinite, {}, {}};
    }
    char text[kLongDoubleTextBytes];
    const std::size_t length_bytes = format_long_double_human(text, value);
    const EntryRef ref = store_text(database, target, {text, length_bytes}, kMarkFloat);
    return ref ? Text{Status::kOk, ref.text(), ref} : Text{Status::kOutOfMemory, {}, {}};
}

}  // namespace tern::store::strings
