#include "server/commands/client_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"

namespace tern::server {

namespace {

bool read_type(std::string_view word, ClientFilter& filter, Reply& reply) {
    filter.type = parse_client_type(word);
    if (!filter.type) {
        reply.error(fmt::format("ERR Unknown client type '{}'", word));
        return false;
    }
    return true;
}

/// Ids begin with 1; LIST takes smaller ones and finds nobody.
bool read_id(std::string_view word,
             ClientFilter& filter,
             Reply& reply,
             std::string_view error,
             std::int64_t least) {
    std::int64_t id = 0;
    if (!parse_int64(word, id) || id < least) {
        reply.error(error);
        return false;
    }
    filter.ids.push_back(static_cast<std::uint64_t>(id));
    filter.wants_ids = true;
    return true;
}

bool read_user(std::string_view word, ClientFilter& filter, Reply& reply) {
    if (word != "default") {
        reply.error(fmt::format("ERR No such user '{}'", word));
        return false;
    }
    filter.user = word;
    return true;
}

bool read_kill_option(std::string_view option,
                      std::string_view value,
                      ClientFilter& filter,
                      Reply& reply) {
    if (equals_word(option, "ID")) {
        return read_id(value, filter, reply, "ERR client-id should be greater than 0", 1);
    }
    if (equals_word(option, "TYPE")) {
        return read_type(value, filter, reply);
    }
    if (equals_word(option, "USER")) {
        return read_user(value, filter, reply);
    }
    if (equals_word(option, "ADDR")) {
        filter.address = value;
        return true;
    }
    if (equals_word(option, "LADDR")) {
        filter.local_address = value;
        return true;
    }
    if (equals_word(option, "SKIPME")) {
        filter.skips_caller = equals_word(value, "YES");
        return filter.skips_caller || equals_word(value, "NO") || syntax_error(reply);
    }
    return syntax_error(reply);
}

}  // namespace

bool ClientFilter::matches(const Session& session) const {
    if (wants_ids && std::find(ids.begin(), ids.end(), session.id) == ids.end()) {
        return false;
    }
    return (!type || *type == client_type(session)) &&
           (!user || (session.authenticated && *user == session.user)) &&
           (!address || *address == session.address) &&
           (!local_address || *local_address == session.local_address);
}

bool parse_list_filter(std::span<const std::string_view> words,
                       ClientFilter& filter,
                       Reply& reply) {
    if (words.empty()) {
        return true;
    }
    if (words.size() == 2 && equals_word(words[0], "TYPE")) {
        return read_type(words[1], filter, reply);
    }
    if (words.size() > 1 && equals_word(words[0], "ID")) {
        return std::all_of(words.begin() + 1, words.end(), [&](std::string_view word) {
            return read_id(word,
                           filter,
                           reply,
                           "ERR Invalid client ID",
                           std::numeric_limits<std::int64_t>::min());
        });
    }
    return syntax_error(reply);
}

bool parse_kill_filter(std::span<const std::string_view> words,
                       ClientFilter& filter,
                       Reply& reply) {
    if (words.size() == 1) {
        filter.is_old_form = true;
        filter.skips_caller = false;
        filter.address = words[0];
        return true;
    }
    if (words.size() % 2 != 0) {
        return syntax_error(reply);
    }
    for (std::size_t i = 0; i < words.size(); i += 2) {
        if (!read_kill_option(words[i], words[i + 1], filter, reply)) {
            return false;
        }
    }
    return true;
}

}  // namespace tern::server
