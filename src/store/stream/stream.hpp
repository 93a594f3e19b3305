#pragma once

#include <cstdint>
#include <string_view>

#include "store/hash/collection.hpp"
#include "store/stream/large_stream.hpp"

/// Streams: what the commands of Redis's stream group do, typed.
namespace tern::store::streams {

/// Says to the keyspace how streams are freed, copied and measured. Once, at the start.
void register_type(Keyspace& keyspace) noexcept;

/// The stream under one key, open for one command. Unlike other collections it may be empty.
class Stream : public Collection {
public:
    /// Looks the key up.
    Stream(Database& database, std::string_view key) : Collection(database, key, Type::kStream) {}

    /// Makes the key, an empty stream, if it is not there. False without memory.
    [[nodiscard]] bool create();
    /// Takes a key that `create` made, and that nothing was put into, away again.
    void remove() { erase_key(); }

    /// The stream of a key that exists.
    [[nodiscard]] LargeStream& get() const noexcept { return entry().object<LargeStream>(); }
    /// XLEN; 0 without a key.
    [[nodiscard]] std::uint64_t size() const noexcept {
        return exists() ? get().entries().size() : 0;
    }

    /// Adds an entry above all ids that ever were, of a key that exists, and counts it. False
    /// without memory, and nothing changed then.
    [[nodiscard]] bool append(const EntryId& id, FieldTexts fields, const NodeLimits& limits);
    /// Removes entries from the front; returns how many. What goes as a whole is freed in steps.
    std::uint64_t trim(const Trim& trim);
    /// XDEL of one id.
    bool erase(const EntryId& id);
    /// Removes a group, which is freed in steps.
    void erase_group(Group& group);
};

}  // namespace tern::store::streams
