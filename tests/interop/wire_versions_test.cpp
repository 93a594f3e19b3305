#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tern/base/bytes.hpp>
#include <tern_store_wire_1/all.hpp>

#include "server/test_executor.hpp"

/// A client that was built from version 1 of the schema against today's server.
namespace tern::test {
namespace {

using namespace wire_v1;  // NOLINT: the names of the old schema

constexpr std::uint64_t kId = 4711;

template <typename Encoder, typename Fill>
std::string encoded(Fill fill) {
    std::array<std::byte, 1024> buffer{};
    auto encoder = Encoder::wrap(buffer);
    encoder.correlation_id(kId);
    return std::string(as_text(Bytes(buffer).first(fill(encoder).encoded_bytes())));
}

/// What a client of version 1 does with a reply: verifies it as its own kind.
template <typename View>
View reply_of(const std::string& bytes) {
    auto view = View::wrap(as_bytes(bytes));
    EXPECT_TRUE(view.ok());
    EXPECT_EQ(view->correlation_id(), kId);
    return *view;
}

struct OldClient : TestExecutor {
    OldClient() {
        session().protocol = server::Protocol::kSbe;
        const std::string reply = run_wire(encoded<LogonEncoder>([](LogonEncoder& e) {
            return e.schema_version(1).database(3).user("").password("").client_name("old");
        }));
        EXPECT_EQ(reply_of<VerifiedLogonReplyView>(reply).schema_version(), 1)
            << "the newest that both know";
        EXPECT_TRUE(session().logged_on);
    }
};

TEST(WireVersions, TheOldSchemaIsOlder) {
    EXPECT_EQ(SchemaInfo::kVersion, 1);
}

TEST(WireVersions, AClientOfVersion1StoresAndReads) {
    OldClient server;
    const std::string set = encoded<SetRequestEncoder>([](SetRequestEncoder& e) {
        e.expiry_ms(0).expiry_kind(ExpiryKind::kClear).condition(SetCondition::kAlways);
        return e.flags(SetFlags{}).key("k").value("v");
    });
    EXPECT_EQ(as_text(reply_of<VerifiedStatusReplyView>(server.run_wire(set)).text()), "OK");
    const std::string get =
        encoded<GetRequestEncoder>([](GetRequestEncoder& e) { return e.key("k"); });
    EXPECT_EQ(as_text(reply_of<VerifiedBulkReplyView>(server.run_wire(get)).value()), "v");
    const std::string none =
        encoded<GetRequestEncoder>([](GetRequestEncoder& e) { return e.key("none"); });
    static_cast<void>(reply_of<VerifiedNullReplyView>(server.run_wire(none)));
}

TEST(WireVersions, AClientOfVersion1UsesGroups) {
    OldClient server;
    const std::string hset = encoded<HSetRequestEncoder>([](HSetRequestEncoder& e) {
        return e.keys(1, [](auto& entry, std::size_t) { return entry.key("h"); })
            .fields(2, [](auto& entry, std::size_t i) {
                return entry.field(i == 0 ? "a" : "b").value("x");
            });
    });
    EXPECT_EQ(reply_of<VerifiedIntegerReplyView>(server.run_wire(hset)).value(), 2);
    const std::string wrong =
        encoded<GetRequestEncoder>([](GetRequestEncoder& e) { return e.key("h"); });
    EXPECT_EQ(as_text(reply_of<VerifiedErrorReplyView>(server.run_wire(wrong)).text()),
              "WRONGTYPE Operation against a key holding the wrong kind of value");
}

TEST(WireVersions, NothingNewReachesAClientOfVersion1Unasked) {
    OldClient server;
    EXPECT_EQ(server.peer().late.size(), 0U);
    EXPECT_EQ(server.session().database_index, 3U);
}

}  // namespace
}  // namespace tern::test
