#include "server/commands/keys.hpp"

#include <array>

#include "server/command/arguments.hpp"
#include "store/set/set.hpp"
#include "store/string/strings.hpp"

namespace tern::server {

store::EntryRef find_typed(Call& call, std::string_view key, store::Type type, bool& failed) {
    const store::EntryRef ref = call.database.find(key);
    if (ref && ref.type() != type) {
        call.reply.error(kWrongType);
        failed = true;
        return {};
    }
    return ref;
}

std::string_view encoding_name(const store::EntryRef& ref) {
    switch (ref.type()) {
        case store::Type::kString: {
            constexpr std::array<std::string_view, 3> kNames = {"int", "embstr", "raw"};
            return kNames[static_cast<std::size_t>(store::strings::encoding_of(ref))];
        }
        case store::Type::kZset:
            return ref.is_object() ? "skiplist" : "listpack";
        case store::Type::kHash:
            return ref.is_object() ? "hashtable" : "listpack";
        case store::Type::kList:
            return ref.is_object() ? "quicklist" : "listpack";
        case store::Type::kSet:
            return store::sets::encoding_name(ref);
        case store::Type::kStream:
            return "stream";
    }
    return "unknown";
}

std::string_view type_name(store::Type type) {
    constexpr std::array<std::string_view, store::kTypeCount> kNames = {
        "string", "list", "set", "zset", "hash", "stream"};
    return kNames[static_cast<std::size_t>(type)];
}

std::optional<std::int64_t> absolute_ms(std::int64_t value,
                                        std::int64_t unit_ms,
                                        std::int64_t base_ms) {
    std::int64_t ms = 0;
    if (__builtin_mul_overflow(value, unit_ms, &ms) || __builtin_add_overflow(ms, base_ms, &ms)) {
        return std::nullopt;
    }
    return ms;
}

}  // namespace tern::server
