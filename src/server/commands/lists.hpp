#pragma once

#include <string_view>

#include "server/command/command_spec.hpp"
#include "server/config/config.hpp"
#include "server/server.hpp"
#include "store/keyspace/keyspace.hpp"
#include "store/list/list.hpp"

/// What the files of the list group share.
namespace tern::server::commands {

/// Whether the key can be used as a list; answers WRONGTYPE otherwise.
inline bool is_usable(Call& call, const store::lists::List& list) {
    if (list.is_wrong_type()) {
        call.reply.error(kWrongType);
    }
    return !list.is_wrong_type();
}

inline store::lists::ListLimits list_limits(const Call& call) {
    return store::lists::ListLimits::of_parameter(call.server.config().list_max_listpack_size);
}

/// An end of a list as commands name it.
[[nodiscard]] bool take_end(Arguments& in, store::lists::End& end);
template <typename WireEnd>
[[nodiscard]] store::lists::End end_of(WireEnd end) noexcept {
    return end.raw() == 0 ? store::lists::End::kHead : store::lists::End::kTail;
}

/// Answers with `count` elements from an end, in the order in which they are popped, and removes
/// them. They are there.
void pop_elements(Call& call, store::lists::List& list, store::lists::End end, std::uint64_t count);

/// Counts `count` changes of the list and tells whoever watches it.
void mark_changed(Call& call, store::lists::List& list, std::uint64_t count);

inline constexpr GroupInfo list_info{"list", kAclList};

}  // namespace tern::server::commands
