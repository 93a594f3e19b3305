#pragma once

#include <string_view>
#include <vector>

#include "server/command/registry.hpp"

namespace tern::server {

/// What a command does to its keys, in the words of COMMAND GETKEYSANDFLAGS: "RW access update".
struct KeyUsage {
    std::string_view first;  ///< of the first key
    std::string_view rest;   ///< of the others; empty: as the first
};
[[nodiscard]] KeyUsage key_usage(const Command& command) noexcept;

/// One way to find some of a command's keys: from `index` on (the name is 0), either up to `last`
/// (negative counts from the end) in steps, or as many as the number at `index` says; or the first
/// half of what is behind the word STREAMS, looked for from `index` on.
struct KeySpec {
    std::string_view flags;
    int index = 0;
    int last = 0;  ///< relative to `index`; negative: from the end
    int step = 1;
    bool is_counted = false;
    bool is_behind_streams = false;
};
[[nodiscard]] std::vector<KeySpec> key_specs(const Command& command);

/// A key of one call, with its usage.
struct UsedKey {
    std::string_view key;
    std::string_view flags;
};
enum class KeyLookup : std::uint8_t { kFound, kNoKeys, kInvalid };
/// The keys of `words`, a whole call of `command` with its name.
[[nodiscard]] KeyLookup find_keys(const Command& command,
                                  std::span<const std::string_view> words,
                                  std::vector<UsedKey>& keys);

}  // namespace tern::server
