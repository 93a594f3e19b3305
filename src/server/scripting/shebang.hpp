#pragma once

#include <string>
#include <string_view>

namespace tern::server {

/// What the first line of a script says of it: "#!lua flags=no-writes,allow-oom".
struct ScriptFlags {
    bool has_shebang = false;  ///< without one a script may do what its commands may
    bool no_writes = false;
    bool allow_oom = false;
    bool allow_stale = false;
    bool no_cluster = false;
    bool allow_cross_slot_keys = false;
};

struct Shebang {
    ScriptFlags flags;
    std::string name;       ///< of a library, empty when the line has none
    std::string_view body;  ///< what follows the line, its line end included
    std::string problem;    ///< why it cannot be, the error's whole text
};

/// Takes the first line off. Without "#!" everything is body.
[[nodiscard]] Shebang parse_shebang(std::string_view text);

/// One of the words that flags= lists. False: there is no such flag.
[[nodiscard]] bool add_script_flag(std::string_view word, ScriptFlags& flags) noexcept;

}  // namespace tern::server
