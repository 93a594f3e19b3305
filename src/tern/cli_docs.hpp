#pragma once

#include <string>
#include <string_view>
#include <tern/client/reply.hpp>
#include <vector>

namespace tern::tool {

/// The server's commands with their syntax, read from COMMAND DOCS: what completion, hints and
/// `help` of the prompt know. A server without COMMAND DOCS leaves it empty.
class CommandDocs {
public:
    struct Entry {
        std::string name;    ///< upper case; of a subcommand with its command: "CLIENT SETNAME"
        std::string syntax;  ///< what follows the name: "key value [NX | XX] …"
        std::string summary;
        std::string since;
        std::string group;
        std::string complexity;
    };

    /// Takes what the server answered to COMMAND DOCS, in any protocol.
    void read(const ReplyView& docs);

    [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

    /// The entry of the longest name that the words begin with; null when there is none.
    [[nodiscard]] const Entry* find(const std::vector<std::string_view>& words) const;

    /// The names that begin with `typed`, in any case, in alphabetical order.
    [[nodiscard]] std::vector<std::string_view> complete(std::string_view typed) const;

    /// What may follow a line: the syntax without the arguments that are there, or empty. `line`
    /// ends in a space when its last word is complete.
    [[nodiscard]] std::string hint(std::string_view line) const;

private:
    void read_entry(std::string_view parent, std::string_view name, const ReplyView& fields);

    std::vector<Entry> entries_;  ///< sorted by name
};

}  // namespace tern::tool
