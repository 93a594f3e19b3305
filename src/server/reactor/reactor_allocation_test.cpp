#include <gtest/gtest.h>

#include <array>
#include <string>

#include "server/reactor/test_server.hpp"
#include "server/reactor/thread_allocations.hpp"

namespace tern::test {
namespace {

/// About `call_count` SETs and GETs of every size in batches, then a twentieth of that one by one.
void set_and_get(Client& client, int call_count) {
    static const std::array<std::string, 7> kValues = {std::string(1, 'a'),
                                                       std::string(16, 'b'),
                                                       std::string(100, 'c'),
                                                       std::string(1'000, 'd'),
                                                       std::string(4'096, 'e'),
                                                       std::string(16'384, 'f'),
                                                       std::string(65'536, 'g')};
    static constexpr std::array<std::string_view, 7> kKeys = {
        "k1", "k16", "k100", "k1000", "k4096", "k16384", "k65536"};
    constexpr std::size_t kBatch = 14;
    for (int done = 0; done < call_count; done += static_cast<int>(2 * kBatch)) {
        Pipeline pipeline = client.pipeline();
        for (std::size_t i = 0; i < kBatch; ++i) {
            ASSERT_EQ(pipeline.set(kKeys[i % 7], kValues[i % 7]), CallStatus::kOk);
            ASSERT_EQ(pipeline.get(kKeys[i % 7]), CallStatus::kOk);
        }
        for (std::size_t i = 0; i < kBatch; ++i) {
            ASSERT_TRUE(pipeline.next().ok());
            const ReplyResult got = pipeline.next();
            ASSERT_TRUE(got.ok() && got->text() == kValues[i % 7]);
        }
    }
    for (int done = 0; done < call_count / 20; ++done) {
        const auto i = static_cast<std::size_t>(done % 7);
        ASSERT_TRUE(client.set(kKeys[i], kValues[i]).ok());
        ASSERT_EQ(client.get(kKeys[i]).value_or(""), kValues[i]);
    }
}

void expect_no_allocation(Protocol protocol) {
    TestServer server;
    Client client = server.client("ring", protocol);
    set_and_get(client, 10'000);
    const std::uint64_t before = server.on_loop(thread_allocation_count);
    set_and_get(client, 100'000);
    const std::uint64_t after = server.on_loop(thread_allocation_count);
    EXPECT_EQ(after - before, 0U);
}

TEST(ReactorAllocation, NoneForReadsAndOverwritesOverASbeRing) {
    expect_no_allocation(Protocol::kSbe);
}

TEST(ReactorAllocation, NoneForReadsAndOverwritesOverARespRing) {
    expect_no_allocation(Protocol::kResp3);
}

}  // namespace
}  // namespace tern::test
