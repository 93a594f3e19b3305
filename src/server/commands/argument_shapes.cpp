#include "server/commands/argument_shapes.hpp"

#include <fmt/format.h>

#include <limits>

namespace tern::server {

namespace {
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
}  // namespace

bool random_count_is_sane(std::int64_t count, bool with_values) noexcept {
    return with_values ? count >= -kLargest / 2 && count <= kLargest / 2 : count >= -kLargest;
}

bool parse_random(Arguments& in, RandomArguments& out, Reply& reply, std::string_view values_word) {
    out.key = in.take();
    if (in.is_empty()) {
        return true;
    }
    out.has_count = true;
    if (!in.read_integer(out.count, reply)) {
        return false;
    }
    if (!random_count_is_sane(out.count, false)) {
        reply.error(fmt::format(
            "ERR value is out of range, value must between {} and {}", -kLargest, kLargest));
        return false;
    }
    if (in.is_empty()) {
        return true;
    }
    if (in.left() > 1 || !in.take_option(values_word)) {
        return syntax_error(reply);
    }
    out.with_values = true;
    if (!random_count_is_sane(out.count, true)) {
        reply.error("ERR value is out of range");
        return false;
    }
    return true;
}

void begin_random_list(Reply& reply, std::uint64_t count, bool with_values) {
    reply.array(with_values && !reply.is_typed() ? count * 2 : count);
}

}  // namespace tern::server
