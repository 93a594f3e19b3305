#pragma once

#include <span>
#include <string_view>

#include "server/command/arguments.hpp"

/// Arguments that many commands share, with their text and SBE forms.
namespace tern::server {

/// One key.
struct KeyArguments {
    std::string_view key;
};
inline bool parse_text(Arguments& in, KeyArguments& out, Reply&) {
    out.key = in.take();
    return true;
}
template <typename View>
bool decode_wire(const View& view, KeyArguments& out, Scratch&) {
    auto walk = view.walk();
    out.key = walk.key();
    return walk.ok();
}

/// One or more keys.
struct KeysArguments {
    std::span<const std::string_view> keys;
};
inline bool parse_text(Arguments& in, KeysArguments& out, Reply&) {
    out.keys = in.take_rest();
    return true;
}

}  // namespace tern::server
