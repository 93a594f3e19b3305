#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tern/base/result.hpp>
#include <utility>
#include <vector>

namespace tern::aeron {

/// A channel as applications write it: a medium and parameters.
///
///     aeron:udp?endpoint=224.20.30.39:40456|interface=127.0.0.1|ttl=1
///     aeron:ipc?term-length=64k          aeron-spy:aeron:udp?endpoint=host:20121
///
/// Parameters keep their order; of a key that is given twice the first counts, unknown ones are
/// kept and ignored. The typed readers name the parameter and its text where it is wrong.
///
/// Threads: a value.
class ChannelUri {
public:
    enum class Medium : std::uint8_t { kIpc, kUdp };
    static constexpr std::size_t kLengthMax = 4095;

    /// Errors: kInvalidArgument with the place in `text`; kTooLarge.
    [[nodiscard]] static Result<ChannelUri> parse(std::string_view text);

    [[nodiscard]] Medium medium() const noexcept { return medium_; }
    /// Reads the publication's own log instead of the network ("aeron-spy:").
    [[nodiscard]] bool is_spy() const noexcept { return is_spy_; }

    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const noexcept;
    /// Sets a parameter, in the place where it was or at the end.
    void set(std::string_view key, std::string_view value);
    void erase(std::string_view key);

    // Typed readers: nothing when the parameter is absent.
    //
    // Errors: kInvalidArgument.

    /// Decimal, or with 0x.
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view key) const;
    /// Bytes: decimal with k, m or g.
    [[nodiscard]] Result<std::optional<std::int64_t>> size_bytes(std::string_view key) const;
    /// Nanoseconds: decimal with ns, us, ms or s; ns without.
    [[nodiscard]] Result<std::optional<std::int64_t>> duration_ns(std::string_view key) const;
    /// true or false.
    [[nodiscard]] Result<std::optional<bool>> boolean(std::string_view key) const;

    [[nodiscard]] std::string to_string() const;

private:
    Medium medium_ = Medium::kIpc;
    bool is_spy_ = false;
    std::vector<std::pair<std::string, std::string>> parameters_;
};

/// Reads "64k": decimal digits and k, m or g for 2^10, 2^20, 2^30. None when it is anything else or
/// beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> parse_size_bytes(std::string_view text) noexcept;
/// Reads "200ms" as nanoseconds. None when it is anything else or beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> parse_duration_ns(std::string_view text) noexcept;

}  // namespace tern::aeron
