#include "server/command/key_usage.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"

namespace tern::server {

namespace {

struct Row {
    std::string_view command;
    KeyUsage usage;
};

constexpr std::string_view kLook = "RO";
constexpr std::string_view kRead = "RO access";
constexpr std::string_view kChange = "RW update";
constexpr std::string_view kReadChange = "RW access update";
constexpr std::string_view kInsert = "RW insert";
constexpr std::string_view kTake = "RW access delete";
constexpr std::string_view kDelete = "RW delete";
constexpr std::string_view kRemove = "RM delete";
constexpr std::string_view kOverwrite = "OW update";
constexpr std::string_view kCreate = "OW insert";

/// The commands that are neither plain readers nor plain writers, sorted. As redis-server 7.2.6
/// reports.
constexpr std::array kRows = {
    Row{"append", {kInsert, {}}},
    Row{"bzmpop", {kTake, {}}},
    Row{"bzpopmax", {kTake, {}}},
    Row{"bzpopmin", {kTake, {}}},
    Row{"copy", {kRead, kOverwrite}},
    Row{"decr", {kReadChange, {}}},
    Row{"decrby", {kReadChange, {}}},
    Row{"del", {kRemove, {}}},
    Row{"exists", {kLook, {}}},
    Row{"getdel", {kTake, {}}},
    Row{"getex", {kReadChange, {}}},
    Row{"getset", {kReadChange, {}}},
    Row{"hdel", {kDelete, {}}},
    Row{"hexists", {kLook, {}}},
    Row{"hincrby", {kReadChange, {}}},
    Row{"hincrbyfloat", {kReadChange, {}}},
    Row{"hlen", {kLook, {}}},
    Row{"hsetnx", {kInsert, {}}},
    Row{"hstrlen", {kLook, {}}},
    Row{"incr", {kReadChange, {}}},
    Row{"incrby", {kReadChange, {}}},
    Row{"incrbyfloat", {kReadChange, {}}},
    Row{"memory|usage", {kLook, {}}},
    Row{"move", {kReadChange, {}}},
    Row{"mset", {kOverwrite, {}}},
    Row{"msetnx", {kCreate, {}}},
    Row{"object|encoding", {kLook, {}}},
    Row{"object|freq", {kLook, {}}},
    Row{"object|idletime", {kLook, {}}},
    Row{"object|refcount", {kLook, {}}},
    Row{"psetex", {kOverwrite, {}}},
    Row{"rename", {kTake, kOverwrite}},
    Row{"renamenx", {kTake, kCreate}},
    Row{"set", {kOverwrite, {}}},
    Row{"setex", {kOverwrite, {}}},
    Row{"setnx", {kCreate, {}}},
    Row{"strlen", {kLook, {}}},
    Row{"touch", {kLook, {}}},
    Row{"type", {kLook, {}}},
    Row{"unlink", {kRemove, {}}},
    Row{"xautoclaim", {kDelete, {}}},
    Row{"xdel", {kDelete, {}}},
    Row{"xgroup|create", {kInsert, {}}},
    Row{"xgroup|createconsumer", {kInsert, {}}},
    Row{"xgroup|delconsumer", {kDelete, {}}},
    Row{"xgroup|destroy", {kDelete, {}}},
    Row{"xlen", {kLook, {}}},
    Row{"xreadgroup", {kRead, {}}},
    Row{"xtrim", {kDelete, {}}},
    Row{"zcard", {kLook, {}}},
    Row{"zdiffstore", {kOverwrite, kRead}},
    Row{"zincrby", {kReadChange, {}}},
    Row{"zinterstore", {kOverwrite, kRead}},
    Row{"zmpop", {kTake, {}}},
    Row{"zpopmax", {kTake, {}}},
    Row{"zpopmin", {kTake, {}}},
    Row{"zrangestore", {kOverwrite, kRead}},
    Row{"zrem", {kDelete, {}}},
    Row{"zremrangebylex", {kDelete, {}}},
    Row{"zremrangebyrank", {kDelete, {}}},
    Row{"zremrangebyscore", {kDelete, {}}},
    Row{"zunionstore", {kOverwrite, kRead}},
};

}  // namespace

KeyUsage key_usage(const Command& command) noexcept {
    const auto found = std::lower_bound(
        kRows.begin(), kRows.end(), command.full_name, [](const Row& row, std::string_view name) {
            return row.command < name;
        });
    if (found != kRows.end() && found->command == command.full_name) {
        return found->usage;
    }
    return {(command.spec->info.flags & kReadonly) != 0 ? kRead : kChange, {}};
}

std::vector<KeySpec> key_specs(const Command& command) {
    const KeyPositions& keys = command.spec->info.keys;
    const KeyUsage usage = key_usage(command);
    const std::string_view rest = usage.rest.empty() ? usage.first : usage.rest;
    std::vector<KeySpec> specs;
    if (keys.first > 0) {
        const bool is_split = !usage.rest.empty() && keys.count_at == 0;
        const int last = keys.last < 0 ? keys.last : keys.last - keys.first;
        if (is_split) {
            specs.push_back({usage.first, keys.first, 0, 1, false});
            specs.push_back({rest, keys.first + 1, last < 0 ? last : last - 1, keys.step, false});
        } else {
            specs.push_back({usage.first, keys.first, last, std::max<int>(keys.step, 1), false});
        }
    }
    if (keys.count_at > 0) {
        specs.push_back({keys.first > 0 ? rest : usage.first, keys.count_at, 0, 1, true});
    }
    if (keys.streams_from > 0) {
        specs.push_back({usage.first, keys.streams_from, -1, 1, false, true});
    }
    return specs;
}

namespace {

/// Which words one way of finding keys means, both included; false when it finds none. `count_min`:
/// the least number that a count may be.
bool find_span(const KeySpec& spec,
               std::int64_t count_min,
               std::span<const std::string_view> words,
               std::size_t& first,
               std::size_t& last) {
    first = static_cast<std::size_t>(spec.index);
    if (spec.is_behind_streams) {
        while (first < words.size() && !equals_word(words[first], "STREAMS")) {
            ++first;
        }
        const std::size_t left = words.size() - first;
        last = first + (left == 0 ? 0 : left - 1) / 2;
        ++first;
        return last >= first;
    }
    if (spec.is_counted) {
        std::int64_t count = 0;
        if (first >= words.size() || !parse_int64(words[first], count) || count < count_min ||
            static_cast<std::uint64_t>(count) >= words.size() - first) {
            return false;
        }
        last = first + static_cast<std::size_t>(count);
        ++first;
        return true;
    }
    const auto word_count = static_cast<std::int64_t>(words.size());
    const std::int64_t end = spec.last < 0 ? word_count + spec.last : spec.index + spec.last;
    last = static_cast<std::size_t>(end);
    return end < word_count;
}

}  // namespace

KeyLookup find_keys(const Command& command,
                    std::span<const std::string_view> words,
                    std::vector<UsedKey>& keys) {
    keys.clear();
    const std::vector<KeySpec> specs = key_specs(command);
    if (specs.empty()) {
        return KeyLookup::kNoKeys;
    }
    const std::int64_t count_min = (command.spec->info.flags & kNoMandatoryKeys) != 0 ? 0 : 1;
    for (const KeySpec& spec : specs) {
        std::size_t first = 0;
        std::size_t last = 0;
        if (!find_span(spec, count_min, words, first, last)) {
            return KeyLookup::kInvalid;
        }
        for (std::size_t i = first; i <= last; i += static_cast<std::size_t>(spec.step)) {
            keys.push_back({words[i], spec.flags});
        }
    }
    return KeyLookup::kFound;
}

}  // namespace tern::server
