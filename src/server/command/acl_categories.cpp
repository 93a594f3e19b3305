#include "server/command/acl_categories.hpp"

#include <algorithm>
#include <array>

namespace tern::server {

namespace {

/// What makes a command a member: a category of its row, or a flag.
struct Category {
    std::string_view name;
    std::uint32_t row_categories;
    std::uint32_t flags;
};

constexpr std::array kCategories = {
    Category{"keyspace", kAclKeyspace, 0},
    Category{"read", 0, kReadonly},
    Category{"write", 0, kWrite},
    Category{"set", kAclSet, 0},
    Category{"sortedset", kAclSortedSet, 0},
    Category{"list", kAclList, 0},
    Category{"hash", kAclHash, 0},
    Category{"string", kAclString, 0},
    Category{"bitmap", kAclBitmap, 0},
    Category{"hyperloglog", kAclHyperloglog, 0},
    Category{"geo", kAclGeo, 0},
    Category{"stream", kAclStream, 0},
    Category{"pubsub", kAclPubsub, kPubsub},
    Category{"admin", kAclAdmin, kAdmin},
    Category{"fast", 0, kFast},
    Category{"slow", 0, 0},
    Category{"blocking", 0, kBlocking},
    Category{"dangerous", kAclDangerous, kAdmin},
    Category{"connection", kAclConnection, 0},
    Category{"transaction", kAclTransaction, 0},
    Category{"scripting", kAclScripting, 0},
};

constexpr auto kNames = [] {
    std::array<std::string_view, kCategories.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = kCategories[i].name;
    }
    return names;
}();

struct FlagName {
    std::uint32_t flag;
    std::string_view name;
};

constexpr std::array kFlagNames = {
    FlagName{kPubsub, "pubsub"},
    FlagName{kReadonly, "readonly"},
    FlagName{kWrite, "write"},
    FlagName{kDenyOom, "denyoom"},
    FlagName{kAsking, "asking"},
    FlagName{kAdmin, "admin"},
    FlagName{kNoScript, "noscript"},
    FlagName{kLoading, "loading"},
    FlagName{kStale, "stale"},
    FlagName{kMayReplicate, "may_replicate"},
    FlagName{kSkipSlowlog, "skip_slowlog"},
    FlagName{kSkipMonitor, "skip_monitor"},
    FlagName{kNoMandatoryKeys, "no_mandatory_keys"},
    FlagName{kNoAsyncLoading, "no_async_loading"},
    FlagName{kNoMulti, "no_multi"},
    FlagName{kBlocking, "blocking"},
    FlagName{kMovableKeys, "movablekeys"},
    FlagName{kFast, "fast"},
    FlagName{kNoAuth, "no_auth"},
    FlagName{kAllowBusy, "allow_busy"},
};

}  // namespace

std::span<const std::string_view> acl_category_names() noexcept {
    return kNames;
}

bool is_in_category(const CommandInfo& info, std::size_t category_index) noexcept {
    const Category& category = kCategories[category_index];
    if (category.name == "slow") {
        return (info.flags & kFast) == 0;
    }
    return (info.acl_categories & category.row_categories) != 0 ||
           (info.flags & category.flags) != 0;
}

std::size_t find_acl_category(std::string_view name) noexcept {
    const auto found = std::find_if(kNames.begin(), kNames.end(), [name](std::string_view one) {
        return equals_any_case(one, name);
    });
    return static_cast<std::size_t>(found - kNames.begin());
}

std::vector<std::string_view> flag_names(const CommandInfo& info) {
    std::vector<std::string_view> names;
    for (const FlagName& one : kFlagNames) {
        if ((info.flags & one.flag) != 0) {
            names.push_back(one.name);
        }
    }
    return names;
}

}  // namespace tern::server
