#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <tern/base/bytes.hpp>
#include <type_traits>

namespace tern {

/// Writes one message of schemas/tern-store.xml front to back into memory that has room for it:
/// header with its fixed block, then groups and var data in the schema's order.
/// wire_requests_test.cpp has the generated codecs read what it makes of each request.
class WireWriter {
public:
    static constexpr std::uint16_t kSchemaId = 8379;
    static constexpr std::uint16_t kSchemaVersion = 2;
    static constexpr std::size_t kHeaderBytes = 8;
    static constexpr std::size_t kDataHeaderBytes = 4;
    static constexpr std::size_t kGroupHeaderBytes = 6;

    explicit WireWriter(char* at) noexcept : at_(at) {}

    /// The header and the correlation id; `block_bytes` counts the id and the fields that follow
    /// it.
    WireWriter& begin(std::uint16_t template_id,
                      std::uint16_t block_bytes,
                      std::uint64_t correlation_id) noexcept {
        // One store: block length, template, schema and version from the low bytes up.
        put(std::uint64_t{block_bytes} | std::uint64_t{template_id} << 16 |
            std::uint64_t{kSchemaId} << 32 | std::uint64_t{kSchemaVersion} << 48);
        put(correlation_id);
        return *this;
    }
    template <typename T>
    WireWriter& put(T value) noexcept {
        store_value(at_, value);
        at_ += sizeof value;
        return *this;
    }
    WireWriter& data(std::string_view text) noexcept {
        put(static_cast<std::uint32_t>(text.size()));
        // The length of an empty view may come with a null pointer.
        if (!text.empty()) {
            std::memcpy(at_, text.data(), text.size());
            at_ += text.size();
        }
        return *this;
    }
    WireWriter& group(std::uint16_t entry_block_bytes, std::size_t count) noexcept {
        put(entry_block_bytes);
        return put(static_cast<std::uint32_t>(count));
    }
    /// The group "keys" of one key, which stands before a group of something else.
    WireWriter& one_key(std::string_view key) noexcept { return group(0, 1).data(key); }

    [[nodiscard]] char* end() const noexcept { return at_; }

private:
    char* at_;
};

/// Template ids of schemas/tern-store.xml that the client uses by name.
namespace wire_template {
inline constexpr std::uint16_t kLogon = 1;
inline constexpr std::uint16_t kLogonReply = 2;
inline constexpr std::uint16_t kNullReply = 20;
inline constexpr std::uint16_t kStatusReply = 21;
inline constexpr std::uint16_t kErrorReply = 22;
inline constexpr std::uint16_t kIntegerReply = 23;
inline constexpr std::uint16_t kDoubleReply = 24;
inline constexpr std::uint16_t kBulkReply = 25;
inline constexpr std::uint16_t kAggregateReply = 26;
inline constexpr std::uint16_t kCommand = 40;
inline constexpr std::uint16_t kPing = 100;
inline constexpr std::uint16_t kEcho = 101;
inline constexpr std::uint16_t kSelect = 102;
inline constexpr std::uint16_t kGet = 200;
inline constexpr std::uint16_t kSet = 201;
inline constexpr std::uint16_t kGetDel = 202;
inline constexpr std::uint16_t kAppend = 206;
inline constexpr std::uint16_t kStrLen = 207;
inline constexpr std::uint16_t kIncrBy = 212;
inline constexpr std::uint16_t kIncrByFloat = 214;
inline constexpr std::uint16_t kMGet = 215;
inline constexpr std::uint16_t kMSet = 216;
inline constexpr std::uint16_t kDel = 300;
inline constexpr std::uint16_t kUnlink = 301;
inline constexpr std::uint16_t kExists = 302;
inline constexpr std::uint16_t kPExpire = 305;
inline constexpr std::uint16_t kPTtl = 309;
inline constexpr std::uint16_t kPersist = 312;
inline constexpr std::uint16_t kType = 313;
inline constexpr std::uint16_t kHSet = 400;
inline constexpr std::uint16_t kHGet = 403;
inline constexpr std::uint16_t kHMGet = 404;
inline constexpr std::uint16_t kHDel = 405;
inline constexpr std::uint16_t kHGetAll = 406;
inline constexpr std::uint16_t kHLen = 409;
inline constexpr std::uint16_t kHExists = 410;
inline constexpr std::uint16_t kHIncrBy = 412;
inline constexpr std::uint16_t kZAdd = 500;
inline constexpr std::uint16_t kZIncrBy = 501;
inline constexpr std::uint16_t kZCard = 502;
inline constexpr std::uint16_t kZScore = 503;
inline constexpr std::uint16_t kZRank = 505;
inline constexpr std::uint16_t kZRevRank = 506;
inline constexpr std::uint16_t kZCount = 507;
inline constexpr std::uint16_t kZRange = 509;
inline constexpr std::uint16_t kZRem = 516;
inline constexpr std::uint16_t kZPopMin = 520;
inline constexpr std::uint16_t kZPopMax = 521;
}  // namespace wire_template

}  // namespace tern
