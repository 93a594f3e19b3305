#include "store/string/bitmaps.hpp"

#include <algorithm>
#include <cstring>

namespace tern::store::strings {

Writable open_writable(Database& database, std::string_view key, std::size_t size_bytes) {
    const Target target = look_up(database, key);
    EntryRef ref = target.found;
    if (ref && ref.type() != Type::kString) {
        return {Status::kWrongType, false, {}};
    }
    const std::size_t old_bytes = ref ? ref.value().size() : 0;
    const bool grows = !ref || size_bytes > old_bytes;
    if (!ref) {
        ref = database.assign(ref, key, target.hash, Type::kString, size_bytes, Deadline::none());
        if (!ref) {
            return {Status::kOutOfMemory, false, {}};
        }
    } else if (grows && !database.resize_value(ref, size_bytes)) {
        return {Status::kOutOfMemory, false, {}};
    }
    if (size_bytes > old_bytes) {
        std::memset(ref.value().data() + old_bytes, 0, size_bytes - old_bytes);
    }
    set_edited(ref);
    return {Status::kOk, grows, ref};
}

Integer set_bit(Database& database, std::string_view key, std::uint64_t at, bool value) {
    const Writable open = open_writable(database, key, at / 8 + 1);
    if (open.status != Status::kOk) {
        return {open.status, 0};
    }
    const MutableBytes bytes = open.ref.value();
    const bool old = bits::get(bytes, at);
    if (open.has_grown || old != value) {
        bits::set(bytes, at, value);
        database.mark_modified(open.ref);
    }
    return {Status::kOk, old ? 1 : 0};
}

namespace {

/// Makes `key` a string of `size_bytes` without a time to live. What it held stays in front when it
/// is one of the sources, and zero bytes follow.
EntryRef open_destination(Database& database,
                          std::string_view key,
                          std::size_t size_bytes,
                          bool is_source) {
    const Target target = look_up(database, key);
    if (!is_source || !target.found) {
        return database.assign(
            target.found, key, target.hash, Type::kString, size_bytes, Deadline::none());
    }
    Writable open = open_writable(database, key, size_bytes);
    return open.status == Status::kOk && database.persist(open.ref) ? open.ref : EntryRef();
}

}  // namespace

Length combine_bits(Database& database,
                    bits::Operation operation,
                    std::string_view destination,
                    std::span<const std::string_view> keys,
                    std::span<Bytes> sources) {
    std::size_t size_bytes = 0;
    bool is_source = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Text found = get(database, keys[i]);
        if (found.status == Status::kWrongType) {
            return {found.status, 0};
        }
        sources[i] = as_bytes(found.text);
        size_bytes = std::max(size_bytes, found.text.size());
        is_source = is_source || (found.status == Status::kOk && keys[i] == destination);
    }
    if (size_bytes == 0) {
        database.erase(destination);
        return {Status::kOk, 0};
    }
    EntryRef ref = open_destination(database, destination, size_bytes, is_source);
    if (!ref) {
        return {Status::kOutOfMemory, 0};
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (is_source && keys[i] == destination) {
            sources[i] = ref.value();
        }
    }
    bits::combine(operation, sources.first(keys.size()), ref.value());
    set_edited(ref);
    database.mark_modified(ref);
    return {Status::kOk, size_bytes};
}

}  // namespace tern::store::strings
