#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tern_store_wire/all.hpp"

/// Every request of the schema beside the text that means the same, for executor_test.cpp.
namespace tern::test {

/// The correlation id of every request made here.
inline constexpr std::uint64_t kCorrelationId = 0x1122334455667788;

using Words = std::vector<std::string_view>;

struct WireCase {
    Words text;           ///< the command as RESP has it
    std::string message;  ///< its SBE request
};

/// One message: `fill(encoder)` writes fields and parts and returns the last stage.
template <typename Encoder, typename Fill>
[[nodiscard]] std::string encode(Fill fill) {
    std::string message(1024, '\0');
    auto encoder = Encoder::wrap({reinterpret_cast<std::byte*>(message.data()), message.size()});
    encoder.correlation_id(kCorrelationId);
    message.resize(fill(encoder).encoded_bytes());
    return message;
}

/// Commands that build up the data and leave it as the later cases expect it.
[[nodiscard]] std::vector<WireCase> string_wire_cases();
[[nodiscard]] std::vector<WireCase> key_wire_cases();
[[nodiscard]] std::vector<WireCase> hash_wire_cases();
[[nodiscard]] std::vector<WireCase> sorted_set_wire_cases();
[[nodiscard]] std::vector<WireCase> set_wire_cases();
[[nodiscard]] std::vector<WireCase> bitmap_wire_cases();
[[nodiscard]] std::vector<WireCase> hyperloglog_wire_cases();
[[nodiscard]] std::vector<WireCase> list_wire_cases();
[[nodiscard]] std::vector<WireCase> payload_wire_cases();
[[nodiscard]] std::vector<WireCase> session_wire_cases();
[[nodiscard]] std::vector<WireCase> pubsub_wire_cases();
[[nodiscard]] std::vector<WireCase> script_wire_cases();
[[nodiscard]] std::vector<WireCase> stream_wire_cases();
[[nodiscard]] std::vector<WireCase> sort_wire_cases();

/// All of them, in an order in which they can run one after another.
[[nodiscard]] std::vector<WireCase> all_wire_cases();

/// Logon with this version and user.
[[nodiscard]] inline std::string logon_message(std::string_view user,
                                               std::string_view password,
                                               std::uint16_t database = 0,
                                               std::uint16_t schema_version = 1) {
    return encode<wire::LogonEncoder>([&](wire::LogonEncoder& e) {
        e.schema_version(schema_version).database(database);
        return e.user(user).password(password).client_name("tester");
    });
}
/// CommandRequest of these words.
[[nodiscard]] inline std::string command_message(const Words& words) {
    return encode<wire::CommandRequestEncoder>([&](wire::CommandRequestEncoder& e) {
        return e.arguments(words.size(),
                           [&](auto& entry, std::size_t i) { return entry.value(words[i]); });
    });
}

}  // namespace tern::test
