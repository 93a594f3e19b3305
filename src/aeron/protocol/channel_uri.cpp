#include "aeron/protocol/channel_uri.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tern::aeron {

namespace {

constexpr std::string_view kSpyPrefix = "aeron-spy:";
constexpr std::string_view kScheme = "aeron:";
constexpr std::string_view kUdp = "udp";
constexpr std::string_view kIpc = "ipc";

struct Unit {
    std::string_view suffix;
    std::int64_t factor;
};
// Longer suffixes first: every one ends in a shorter one.
constexpr Unit kSizeUnits[] = {
    {"k", 1 << 10}, {"K", 1 << 10}, {"m", 1 << 20}, {"M", 1 << 20}, {"g", 1 << 30}, {"G", 1 << 30}};
constexpr Unit kTimeUnits[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

/// Digits alone, not negative.
std::optional<std::int64_t> parse_digits(std::string_view text, int base = 10) noexcept {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data(), end, value, base);
    if (failed != std::errc() || at != end || text.empty() || text[0] == '-') {
        return std::nullopt;
    }
    return value;
}

template <std::size_t Count>
std::optional<std::int64_t> parse_with_unit(std::string_view text,
                                            const Unit (&units)[Count]) noexcept {
    std::int64_t factor = 1;
    for (const Unit& unit : units) {
        if (text.ends_with(unit.suffix)) {
            text.remove_suffix(unit.suffix.size());
            factor = unit.factor;
            break;
        }
    }
    const std::optional<std::int64_t> value = parse_digits(text);
    if (!value || *value > std::numeric_limits<std::int64_t>::max() / factor) {
        return std::nullopt;
    }
    return *value * factor;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
    const bool is_negative = text.starts_with('-');
    std::string_view digits = is_negative ? text.substr(1) : text;
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    const std::optional<std::int64_t> value =
        parse_digits(is_hex ? digits.substr(2) : digits, is_hex ? 16 : 10);
    return value && is_negative ? -*value : value;
}

template <typename Parse>
auto typed(const ChannelUri& uri, std::string_view key, std::string_view what, Parse parse)
    -> Result<decltype(parse(std::string_view()))> {
    const std::optional<std::string_view> text = uri.find(key);
    if (!text) {
        return decltype(parse(std::string_view()))();
    }
    auto value = parse(*text);
    if (!value) {
        return error(Errc::kInvalidArgument, "{}={}: not {}", key, *text, what);
    }
    return value;
}

Error wrong(std::string_view text, std::string_view at, std::string_view what) {
    return error(Errc::kInvalidArgument,
                 "channel '{}', at character {}: {}",
                 text,
                 at.data() - text.data() + 1,
                 what);
}

}  // namespace

Result<ChannelUri> ChannelUri::parse(std::string_view text) {
    if (text.size() > kLengthMax) {
        return error(
            Errc::kTooLarge, "a channel of {} characters; at most {}", text.size(), kLengthMax);
    }
    ChannelUri uri;
    std::string_view rest = text;
    uri.is_spy_ = rest.starts_with(kSpyPrefix);
    rest.remove_prefix(uri.is_spy_ ? kSpyPrefix.size() : 0);
    if (!rest.starts_with(kScheme)) {
        return wrong(text, rest, "expected aeron:udp?… or aeron:ipc");
    }
    rest.remove_prefix(kScheme.size());
    const std::string_view medium = rest.substr(0, rest.find('?'));
    if (medium != kUdp && medium != kIpc) {
        return wrong(text, rest, "the medium is neither udp nor ipc");
    }
    uri.medium_ = medium == kUdp ? Medium::kUdp : Medium::kIpc;
    rest.remove_prefix(medium.size());
    if (rest.empty()) {
        return uri.medium_ == Medium::kIpc ? Result<ChannelUri>(std::move(uri))
                                           : wrong(text, rest, "udp needs parameters");
    }
    rest.remove_prefix(1);
    for (bool is_last = false; !is_last;) {
        const std::size_t end = rest.find('|');
        is_last = end == std::string_view::npos;
        const std::string_view parameter = rest.substr(0, end);
        const std::size_t equals = parameter.find('=');
        if (equals == 0 || equals == std::string_view::npos) {
            return wrong(text, parameter, "expected key=value");
        }
        const std::string_view key = parameter.substr(0, equals);
        const std::string_view value = parameter.substr(equals + 1);
        if (value.empty()) {
            return wrong(text, value, "a parameter without a value");
        }
        uri.parameters_.emplace_back(key, value);
        rest.remove_prefix(is_last ? rest.size() : end + 1);
    }
    return uri;
}

std::optional<std::string_view> ChannelUri::find(std::string_view key) const noexcept {
    const auto found = std::find_if(
        parameters_.begin(), parameters_.end(), [&](const auto& one) { return one.first == key; });
    return found == parameters_.end() ? std::nullopt
                                      : std::optional<std::string_view>(found->second);
}

void ChannelUri::set(std::string_view key, std::string_view value) {
    for (auto& [name, text] : parameters_) {
        if (name == key) {
            text = value;
            return;
        }
    }
    parameters_.emplace_back(key, value);
}

void ChannelUri::erase(std::string_view key) {
    std::erase_if(parameters_, [&](const auto& one) { return one.first == key; });
}

Result<std::optional<std::int64_t>> ChannelUri::integer(std::string_view key) const {
    return typed(*this, key, "an integer", parse_integer);
}
Result<std::optional<std::int64_t>> ChannelUri::size_bytes(std::string_view key) const {
    return typed(*this, key, "a size, such as 64k", parse_size_bytes);
}
Result<std::optional<std::int64_t>> ChannelUri::duration_ns(std::string_view key) const {
    return typed(*this, key, "a duration, such as 200ms", parse_duration_ns);
}
Result<std::optional<bool>> ChannelUri::boolean(std::string_view key) const {
    return typed(*this, key, "true or false", [](std::string_view text) {
        return text == "true"    ? std::optional(true)
               : text == "false" ? std::optional(false)
                                 : std::nullopt;
    });
}

std::string ChannelUri::to_string() const {
    std::string text(is_spy_ ? kSpyPrefix : "");
    text.append(kScheme).append(medium_ == Medium::kUdp ? kUdp : kIpc);
    char separator = '?';
    for (const auto& [key, value] : parameters_) {
        text.append(1, separator).append(key).append("=").append(value);
        separator = '|';
    }
    return text;
}

std::optional<std::int64_t> parse_size_bytes(std::string_view text) noexcept {
    return parse_with_unit(text, kSizeUnits);
}
std::optional<std::int64_t> parse_duration_ns(std::string_view text) noexcept {
    return parse_with_unit(text, kTimeUnits);
}

}  // namespace tern::aeron
