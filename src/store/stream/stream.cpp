#include "store/stream/stream.hpp"

#include <algorithm>

#include "store/hash/large_object.hpp"

namespace tern::store::streams {

void register_type(Keyspace& keyspace) noexcept {
    keyspace.register_type(Type::kStream, large_object::kOps<LargeStream>);
}

bool Stream::create() {
    if (exists()) {
        return true;
    }
    Keyspace& keyspace = database().keyspace();
    auto* const object = large_object::make<LargeStream>(keyspace);
    if (object == nullptr) {
        return false;
    }
    if (!adopt(object)) {
        large_object::destroy<LargeStream>(keyspace, object);
        return false;
    }
    return true;
}

bool Stream::append(const EntryId& id, FieldTexts fields, const NodeLimits& limits) {
    LargeStream& stream = get();
    TERN_CHECK(id > stream.last_id);
    if (!stream.entries().append(id, fields, limits)) {
        return false;
    }
    stream.last_id = id;
    ++stream.entries_added;
    return true;
}

std::uint64_t Stream::trim(const Trim& trim) {
    EntryLog& entries = get().entries();
    if (entries.takes_all(trim)) {
        Keyspace& keyspace = database().keyspace();
        // Without memory for the short way, the long one.
        if (auto* const rest = large_object::make<LargeStream>(keyspace); rest != nullptr) {
            const std::uint64_t removed = entries.size();
            entries.swap(rest->entries());
            keyspace.dispose(Type::kStream, rest);
            return removed;
        }
    }
    return entries.trim(trim);
}

bool Stream::erase(const EntryId& id) {
    LargeStream& stream = get();
    if (!stream.entries().erase(id)) {
        return false;
    }
    stream.deleted_id_max = std::max(stream.deleted_id_max, id);
    return true;
}

void Stream::erase_group(Group& group) {
    Keyspace& keyspace = database().keyspace();
    auto* const rest = large_object::make<LargeStream>(keyspace);
    if (rest == nullptr || !get().move_group(group, *rest)) {
        if (rest != nullptr) {
            large_object::destroy<LargeStream>(keyspace, rest);
        }
        get().erase_group(group);
        return;
    }
    keyspace.dispose(Type::kStream, rest);
}

}  // namespace tern::store::streams
