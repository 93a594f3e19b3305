#pragma once

#include <string_view>

#include "server/command/command_spec.hpp"
#include "server/config/config.hpp"
#include "server/server.hpp"
#include "store/zset/zset.hpp"

/// What the files of the sorted-set group share.
namespace tern::server::commands {

/// Whether the key can be used as a sorted set; answers WRONGTYPE otherwise.
inline bool is_usable(Call& call, const store::zsets::Zset& zset) {
    if (zset.is_wrong_type()) {
        call.reply.error(kWrongType);
    }
    return !zset.is_wrong_type();
}

inline const store::CompactLimits& zset_limits(Call& call) {
    return call.server.config().zset_limits;
}

/// Begins a list of `count` members: with scores it is nested pairs in typed protocols, flat in
/// RESP2.
inline void begin_member_list(Reply& reply, std::uint64_t count, bool with_scores) {
    reply.array(with_scores && !reply.is_typed() ? count * 2 : count);
}

/// One member of such a list.
inline void write_member(Reply& reply, const store::zsets::Element& element, bool with_scores) {
    if (with_scores && reply.is_typed()) {
        reply.array(2);
    }
    reply.bulk(element.member);
    if (with_scores) {
        reply.number(element.score);
    }
}

inline constexpr GroupInfo zset_info{"sorted-set", kAclSortedSet};

}  // namespace tern::server::commands
