#include "server/commands/blocking.hpp"

#include <cmath>

#include "base/number_text.hpp"

namespace tern::server {

namespace {
constexpr double kLongestS = 9.2e15;  // in milliseconds it must fit 64 bits
}  // namespace

bool timeout_is_sane(double timeout_s) noexcept {
    return timeout_s >= 0 && timeout_s <= kLongestS;
}

bool read_timeout(std::string_view text, double& timeout_s, Reply& reply) {
    long double value = 0;
    if (!parse_long_double(text, value)) {
        reply.error("ERR timeout is not a float or out of range");
        return false;
    }
    if (value > kLongestS) {
        reply.error("ERR timeout is out of range");
        return false;
    }
    if (value < 0) {
        reply.error("ERR timeout is negative");
        return false;
    }
    timeout_s = static_cast<double>(value);
    return true;
}

std::int64_t deadline_ms(const Call& call, double timeout_s) noexcept {
    constexpr double kMilliseconds = 1000;
    return timeout_s == 0
               ? 0
               : call.now_ms + static_cast<std::int64_t>(std::ceil(timeout_s * kMilliseconds));
}

bool read_counted_keys(Arguments& in, std::span<const std::string_view>& keys, Reply& reply) {
    constexpr std::string_view kNoKeys = "ERR numkeys should be greater than 0";
    std::int64_t key_count = 0;
    if (!in.read_integer(key_count, reply, kNoKeys)) {
        return false;
    }
    if (key_count < 1) {
        reply.error(kNoKeys);
        return false;
    }
    if (static_cast<std::uint64_t>(key_count) >= in.left()) {
        return syntax_error(reply);
    }
    keys = in.take(static_cast<std::size_t>(key_count));
    return true;
}

bool read_pop_count(Arguments& in, std::int64_t& count, Reply& reply) {
    constexpr std::string_view kNoCount = "ERR count should be greater than 0";
    bool has_count = false;
    while (!in.is_empty()) {
        if (has_count || in.left() < 2 || !in.take_option("COUNT")) {
            return syntax_error(reply);
        }
        has_count = true;
        if (!in.read_integer(count, reply, kNoCount)) {
            return false;
        }
        if (count < 1) {
            reply.error(kNoCount);
            return false;
        }
    }
    return true;
}

}  // namespace tern::server
