#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tern/base/bytes.hpp>

#include "server/command/arguments.hpp"
#include "server/command/call.hpp"

namespace tern::server {

/// What a command is and may, with Redis's names (COMMAND INFO prints them in lower case).
enum CommandFlag : std::uint32_t {
    kWrite = 1U << 0,
    kReadonly = 1U << 1,
    kDenyOom = 1U << 2,
    kAdmin = 1U << 3,
    kPubsub = 1U << 4,
    kNoScript = 1U << 5,
    kBlocking = 1U << 6,
    kLoading = 1U << 7,
    kStale = 1U << 8,
    kFast = 1U << 9,
    kNoAuth = 1U << 10,
    kMovableKeys = 1U << 11,
    kAllowBusy = 1U << 12,
    kSkipMonitor = 1U << 13,
    kSkipSlowlog = 1U << 14,
    kNoMulti = 1U << 15,
    kNoMandatoryKeys = 1U << 16,
    kAsking = 1U << 17,
    kMayReplicate = 1U << 18,
    kNoAsyncLoading = 1U << 19,
    // Ours; COMMAND INFO does not show them.
    kRunsInMulti = 1U << 20,     ///< MULTI does not queue it
    kRunsSubscribed = 1U << 21,  ///< a RESP2 client that listens to channels may call it
};

/// Redis's ACL categories. Those that follow from flags (read, write, fast, slow, admin, …) are
/// derived.
enum AclCategory : std::uint32_t {
    kAclKeyspace = 1U << 0,
    kAclString = 1U << 1,
    kAclHash = 1U << 2,
    kAclSortedSet = 1U << 3,
    kAclConnection = 1U << 4,
    kAclDangerous = 1U << 5,
    kAclScripting = 1U << 6,
    kAclTransaction = 1U << 7,
    kAclList = 1U << 8,
    kAclSet = 1U << 9,
    kAclStream = 1U << 10,
    kAclBitmap = 1U << 11,
    kAclHyperloglog = 1U << 12,
    kAclGeo = 1U << 13,
    kAclPubsub = 1U << 14,
    kAclAdmin = 1U << 15,
};

/// Where a command's keys are, counted with the name as argument 0, as COMMAND INFO shows it.
struct KeyPositions {
    std::int16_t first = 0;  ///< 0: no keys
    std::int16_t last = 0;   ///< negative counts from the end
    std::int16_t step = 0;
    std::int16_t count_at =
        0;  ///< the argument that says how many keys follow it (ZUNION numkeys), else 0
    /// From which argument on the word STREAMS is looked for, else 0: the first half of what
    /// follows it are keys.
    std::int16_t streams_from = 0;

    [[nodiscard]] constexpr bool is_empty() const noexcept {
        return first == 0 && count_at == 0 && streams_from == 0;
    }
};

// The positions that most commands have.
inline constexpr KeyPositions kOneKey{1, 1, 1};
inline constexpr KeyPositions kTwoKeys{1, 2, 1};
inline constexpr KeyPositions kAllKeys{1, -1, 1};
inline constexpr KeyPositions kAllKeysButLast{1, -2, 1};
inline constexpr KeyPositions kKeyValuePairs{1, -1, 2};
inline constexpr KeyPositions kCountedKeys{.count_at = 1};
inline constexpr KeyPositions kStoreAndCountedKeys{.first = 1, .last = 1, .step = 1, .count_at = 2};

/// What a row says about a command, apart from its code.
struct CommandInfo {
    std::string_view name{};  ///< lower case; of a subcommand, the part after the container's name
    std::int16_t arity = 0;   ///< counts the name; negative: at least so many
    std::uint32_t flags = 0;
    KeyPositions keys{};
    std::uint32_t acl_categories = 0;
    std::string_view group{};  ///< "string", "generic", "sorted-set", … as COMMAND DOCS says it
    std::string_view since{};  ///< the Redis version that brought it
    std::string_view complexity{};  ///< "O(1)"
    std::string_view summary{};     ///< one sentence in our own words
    std::string_view syntax{};      ///< arguments as help shows them: "key value [NX | XX] [GET]"
};

/// Makes the facts of the rows of one group, in the order in which a reader asks for them.
class GroupInfo {
public:
    constexpr GroupInfo(std::string_view group, std::uint32_t acl_categories) noexcept
        : group_(group), acl_categories_(acl_categories) {}

    constexpr CommandInfo operator()(std::string_view name,
                                     int arity,
                                     std::uint32_t flags,
                                     KeyPositions keys,
                                     std::string_view since,
                                     std::string_view complexity,
                                     std::string_view syntax,
                                     std::string_view summary,
                                     std::uint32_t more_categories = 0) const noexcept {
        return {.name = name,
                .arity = static_cast<std::int16_t>(arity),
                .flags = flags,
                .keys = keys,
                .acl_categories = acl_categories_ | more_categories,
                .group = group_,
                .since = since,
                .complexity = complexity,
                .summary = summary,
                .syntax = syntax};
    }

private:
    std::string_view group_;
    std::uint32_t acl_categories_;
};

/// One row of the command table: everything that RESP, SBE, COMMAND, ACL and help need to know.
struct CommandSpec {
    using TextHandler = void (*)(Call& call, Arguments& arguments);
    using WireHandler = void (*)(Call& call, Bytes message);

    CommandInfo info;
    TextHandler text = nullptr;
    WireHandler wire = nullptr;     ///< null: over SBE it is reached through CommandRequest
    std::uint16_t template_id = 0;  ///< of the SBE request, or 0
    std::span<const CommandSpec> subcommands;
};

namespace detail {
template <typename Function>
struct ArgumentsOf;
template <typename Args>
struct ArgumentsOf<void (*)(Call&, const Args&)> {
    using type = Args;
};
}  // namespace detail

/// A command without arguments.
struct NoArguments {};
inline bool parse_text(Arguments&, NoArguments&, Reply&) {
    return true;
}

/// Makes a row from `Execute`, the one implementation: `void f(Call&, const SomeArguments&)`.
///
/// Found by argument-dependent lookup beside SomeArguments:
///   bool parse_text(Arguments& in, SomeArguments& out, Reply& reply);    // answers its own errors
///   bool decode_wire(const WireView& in, SomeArguments& out, Scratch&);  // false: impossible
///   values
/// `WireView` is the generated verified view of the command's SBE request.
template <auto Execute>
constexpr CommandSpec row(const CommandInfo& info) {
    using Args = typename detail::ArgumentsOf<decltype(Execute)>::type;
    CommandSpec spec;
    spec.info = info;
    spec.text = [](Call& call, Arguments& in) {
        Args args{};
        if (parse_text(in, args, call.reply)) {
            Execute(call, args);
        }
    };
    return spec;
}

/// The same with a native SBE request.
template <auto Execute, typename WireView>
constexpr CommandSpec row(const CommandInfo& info) {
    using Args = typename detail::ArgumentsOf<decltype(Execute)>::type;
    CommandSpec spec = row<Execute>(info);
    spec.template_id = WireView::kTemplateId;
    spec.wire = [](Call& call, Bytes message) {
        const auto view = WireView::wrap(message);
        Args args{};
        if (!view || !decode_wire(*view, args, call.scratch)) {
            call.reply.error("ERR malformed SBE request");
            return;
        }
        Execute(call, args);
    };
    return spec;
}

}  // namespace tern::server
