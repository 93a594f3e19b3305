#include <array>
#include <cmath>

#include "store/hash/hash.hpp"
#include "store/rdb/value_parts.hpp"
#include "store/string/strings.hpp"
#include "store/zset/zset.hpp"

namespace tern::store::rdb {
namespace {

using Form = PackedReader::Form;

/// Calls `add(first, second)` for each two elements of a packed string until one fails.
template <typename Add>
LoadStatus load_packed_pairs(LoadTarget& target, Form form, Add&& add) {
    RdbText packed;
    if (!target.reader.text(packed)) {
        return LoadStatus::kBad;
    }
    PackedReader elements(form, packed.bytes());
    PackedEntry first;
    PackedEntry second;
    while (elements.next(first)) {
        if (!elements.next(second)) {
            return LoadStatus::kBad;
        }
        if (const LoadStatus status = add(first.text, second.text); status != LoadStatus::kOk) {
            return status;
        }
    }
    return good_if(elements.is_whole());
}

// Strings

LoadStatus load_string(LoadTarget& target) {
    RdbText text;
    if (!target.reader.text(text)) {
        return LoadStatus::kBad;
    }
    switch (strings::set(target.database, target.key, text.view())) {
        case strings::Status::kOk:
            return LoadStatus::kOk;
        case strings::Status::kOutOfMemory:
            return LoadStatus::kOutOfMemory;
        default:
            return LoadStatus::kBad;
    }
}

// Hashes

LoadStatus add_field(hashes::Hash& hash,
                     std::string_view field,
                     std::string_view value,
                     const CompactLimits& limits) {
    switch (hash.set(field, value, limits)) {
        case hashes::SetOutcome::kAdded:
            return LoadStatus::kOk;
        case hashes::SetOutcome::kUpdated:
            return LoadStatus::kBad;
        case hashes::SetOutcome::kOutOfMemory:
            break;
    }
    return LoadStatus::kOutOfMemory;
}

LoadStatus load_hash(LoadTarget& target) {
    std::uint64_t count = 0;
    if (!target.reader.length(count)) {
        return LoadStatus::kBad;
    }
    hashes::Hash hash(target.database, target.key);
    RdbText field;
    RdbText value;
    for (; count != 0; --count) {
        if (!target.reader.text(field) || !target.reader.text(value)) {
            return LoadStatus::kBad;
        }
        const LoadStatus status = add_field(hash, field.view(), value.view(), target.limits.hash);
        if (status != LoadStatus::kOk) {
            return status;
        }
    }
    return LoadStatus::kOk;
}

template <Form kForm>
LoadStatus load_packed_hash(LoadTarget& target) {
    hashes::Hash hash(target.database, target.key);
    return load_packed_pairs(target, kForm, [&](std::string_view field, std::string_view value) {
        return add_field(hash, field, value, target.limits.hash);
    });
}

// Sorted sets

LoadStatus add_member(zsets::Zset& zset,
                      std::string_view member,
                      double score,
                      const CompactLimits& limits) {
    using Outcome = zsets::AddResult::Outcome;
    if (std::isnan(score)) {
        return LoadStatus::kBad;
    }
    switch (zset.add({.member = member, .score = score}, {}, limits).outcome) {
        case Outcome::kAdded:
            return LoadStatus::kOk;
        case Outcome::kOutOfMemory:
            return LoadStatus::kOutOfMemory;
        default:
            return LoadStatus::kBad;
    }
}

template <bool kIsBinary>
LoadStatus load_zset(LoadTarget& target) {
    std::uint64_t count = 0;
    if (!target.reader.length(count)) {
        return LoadStatus::kBad;
    }
    zsets::Zset zset(target.database, target.key);
    RdbText member;
    for (; count != 0; --count) {
        double score = 0;
        if (!target.reader.text(member) ||
            !(kIsBinary ? target.reader.number(score) : target.reader.old_score(score))) {
            return LoadStatus::kBad;
        }
        const LoadStatus status = add_member(zset, member.view(), score, target.limits.zset);
        if (status != LoadStatus::kOk) {
            return status;
        }
    }
    return LoadStatus::kOk;
}

template <Form kForm>
LoadStatus load_packed_zset(LoadTarget& target) {
    zsets::Zset zset(target.database, target.key);
    return load_packed_pairs(target, kForm, [&](std::string_view member, std::string_view text) {
        double score = 0;
        return parse_double(text, score) ? add_member(zset, member, score, target.limits.zset)
                                         : LoadStatus::kBad;
    });
}

template <ValueKind kKind>
LoadStatus load_stream_of(LoadTarget& target) {
    return load_stream(target, kKind);
}

struct Loader {
    ValueKind kind;
    LoadStatus (*load)(LoadTarget& target);
};
constexpr std::array kLoaders = {
    Loader{ValueKind::kSet, load_set},
    Loader{ValueKind::kSetIntset, load_set_intset},
    Loader{ValueKind::kSetListpack, load_set_listpack},
    Loader{ValueKind::kString, load_string},
    Loader{ValueKind::kList, load_list},
    Loader{ValueKind::kListZiplist, load_list_ziplist},
    Loader{ValueKind::kListQuicklist, load_list_quicklist},
    Loader{ValueKind::kListQuicklist2, load_list_quicklist2},
    Loader{ValueKind::kHash, load_hash},
    Loader{ValueKind::kHashZipmap, load_packed_hash<Form::kZipmap>},
    Loader{ValueKind::kHashZiplist, load_packed_hash<Form::kZiplist>},
    Loader{ValueKind::kHashListpack, load_packed_hash<Form::kListpack>},
    Loader{ValueKind::kStreamListpacks, load_stream_of<ValueKind::kStreamListpacks>},
    Loader{ValueKind::kStreamListpacks2, load_stream_of<ValueKind::kStreamListpacks2>},
    Loader{ValueKind::kStreamListpacks3, load_stream_of<ValueKind::kStreamListpacks3>},
    Loader{ValueKind::kZset, load_zset<false>},
    Loader{ValueKind::kZset2, load_zset<true>},
    Loader{ValueKind::kZsetZiplist, load_packed_zset<Form::kZiplist>},
    Loader{ValueKind::kZsetListpack, load_packed_zset<Form::kListpack>},
};

}  // namespace

LoadStatus load_value(RdbReader& reader,
                      Database& database,
                      std::string_view key,
                      const LoadLimits& limits) {
    std::uint8_t kind = 0;
    if (!reader.byte(kind)) {
        return LoadStatus::kBad;
    }
    for (const Loader& loader : kLoaders) {
        if (kind != static_cast<std::uint8_t>(loader.kind)) {
            continue;
        }
        LoadTarget target{reader, database, key, limits};
        LoadStatus status = loader.load(target);
        const bool is_there = static_cast<bool>(database.peek(key));
        if (status == LoadStatus::kOk && !is_there) {
            status = LoadStatus::kBad;  // a collection without elements
        } else if (status != LoadStatus::kOk && is_there) {
            database.erase(key);
        }
        return status;
    }
    return LoadStatus::kBad;
}

}  // namespace tern::store::rdb
