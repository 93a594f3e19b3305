#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "base/number_text.hpp"
#include "server/command/arguments.hpp"
#include "server/commands/keys.hpp"
#include "store/keyspace/database.hpp"

/// The time-to-live options that SET, GETEX and their relatives share.
namespace tern::server {

struct ExpiryArguments {
    enum class Kind : std::uint8_t { kUnset, kClear, kKeep, kPersist, kAfter, kAt };

    Kind kind = Kind::kUnset;
    bool is_chosen = false;
    std::int64_t unit_ms = 1;
    std::int64_t value = 0;
    std::string_view text{};  ///< not read yet: a bad number is told after the options
    bool has_text = false;

    /// Takes `wanted`; false when another choice was made before. The same one again is fine.
    bool choose(Kind wanted, std::int64_t wanted_unit_ms = 1) noexcept {
        const bool is_free = !is_chosen || (kind == wanted && unit_ms == wanted_unit_ms);
        is_chosen = true;
        kind = wanted;
        unit_ms = wanted_unit_ms;
        return is_free;
    }
};

/// EX, PX, EXAT or PXAT with its number. False: none of them, or not the first choice.
inline bool take_expiry_option(Arguments& in, ExpiryArguments& out) {
    struct Option {
        std::string_view word;
        ExpiryArguments::Kind kind;
        std::int64_t unit_ms;
    };
    constexpr std::array<Option, 4> kOptions = {{{"EX", ExpiryArguments::Kind::kAfter, 1000},
                                                 {"PX", ExpiryArguments::Kind::kAfter, 1},
                                                 {"EXAT", ExpiryArguments::Kind::kAt, 1000},
                                                 {"PXAT", ExpiryArguments::Kind::kAt, 1}}};
    if (in.left() < 2) {
        return false;
    }
    for (const Option& option : kOptions) {
        if (in.take_option(option.word)) {
            out.text = in.take();
            out.has_text = true;
            return out.choose(option.kind, option.unit_ms);
        }
    }
    return false;
}

/// The enum and the number of an SBE request. False: a kind that does not exist.
template <typename View>
bool decode_expiry(const View& view, ExpiryArguments& out) {
    using Kind = ExpiryArguments::Kind;
    constexpr std::array kKinds = {
        Kind::kClear, Kind::kKeep, Kind::kAfter, Kind::kAt, Kind::kPersist};
    const auto kind = static_cast<std::size_t>(view.expiry_kind().raw());
    if (kind >= kKinds.size()) {
        return false;
    }
    out.kind = kKinds[kind];
    out.value = view.expiry_ms();
    return true;
}

/// Turns the options into a deadline. False after an error was answered: not an integer, or a time
/// that is not positive or does not fit.
inline bool resolve_expiry(Call& call,
                           const ExpiryArguments& args,
                           std::string_view command_name,
                           store::Deadline& out) {
    using Kind = ExpiryArguments::Kind;
    switch (args.kind) {
        case Kind::kUnset:
            return true;
        case Kind::kKeep:
            out = store::Deadline::keep();
            return true;
        case Kind::kClear:
        case Kind::kPersist:
            out = store::Deadline::none();
            return true;
        case Kind::kAfter:
        case Kind::kAt:
            break;
    }
    std::int64_t value = args.value;
    if (args.has_text && !parse_int64(args.text, value)) {
        call.reply.error(kNotInteger);
        return false;
    }
    const auto at_ms =
        value > 0 ? absolute_ms(value, args.unit_ms, args.kind == Kind::kAfter ? call.now_ms : 0)
                  : std::nullopt;
    if (!at_ms) {
        call.reply.error(fmt::format("ERR invalid expire time in '{}' command", command_name));
        return false;
    }
    out = store::Deadline::at(*at_ms);
    return true;
}

}  // namespace tern::server
