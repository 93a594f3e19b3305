#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/test_executor.hpp"

/// Many clients that wait for lists: who is served, and what is left afterwards.
namespace tern::server {
namespace {

using test::TestExecutor;

class BlockedListsTest : public testing::Test {
protected:
    [[nodiscard]] TestExecutor::Client& client() {
        clients_.push_back(std::make_unique<TestExecutor::Client>());
        executor_.connect(*clients_.back());
        return *clients_.back();
    }
    [[nodiscard]] static std::string taken(TestExecutor::Client& client) {
        const std::string reply(client.peer.late.view());
        client.peer.late.clear();
        return reply;
    }
    void expect_nobody_waits() {
        EXPECT_EQ(executor_.server().blocked_clients().size(), 0U);
        EXPECT_EQ(executor_.server().blocked_clients().key_count(), 0U);
        EXPECT_EQ(executor_.server().blocked_clients().timed_count(), 0U);
        EXPECT_EQ(executor_.server().keyspace().observer(), nullptr);
    }

    TestExecutor executor_;
    std::vector<std::unique_ptr<TestExecutor::Client>> clients_;
};

TEST_F(BlockedListsTest, AThousandClientsOnOneKeyAreServedInTheirOrder) {
    constexpr std::size_t kClients = 1000;
    for (std::size_t i = 0; i < kClients; ++i) {
        EXPECT_EQ(executor_.run(client(), {"BLPOP", "list", "60"}), "");
        EXPECT_EQ(executor_.last_outcome, Outcome::kBlocked);
    }
    EXPECT_EQ(executor_.server().blocked_clients().size(), kClients);
    EXPECT_EQ(executor_.server().blocked_clients().key_count(), 1U);

    // One element serves one client and leaves no key.
    EXPECT_EQ(executor_.run({"RPUSH", "list", "e0"}), ":1\r\n");
    EXPECT_EQ(taken(*clients_[0]), "*2\r\n$4\r\nlist\r\n$2\r\ne0\r\n");
    EXPECT_EQ(executor_.run({"EXISTS", "list"}), ":0\r\n");

    // A client that goes loses its place, and nobody else does.
    executor_.server().blocked_clients().forget(clients_[1]->session);
    std::vector<std::string> texts;
    std::vector<std::string_view> words = {"RPUSH", "list"};
    for (std::size_t i = 2; i < kClients + 10; ++i) {
        texts.push_back("e" + std::to_string(i));
    }
    words.insert(words.end(), texts.begin(), texts.end());
    BufferSink sink;
    executor_.executor().run_text(executor_.session(), words, sink);
    EXPECT_EQ(sink.view(), ":1008\r\n");
    EXPECT_EQ(taken(*clients_[1]), "");
    for (std::size_t i = 2; i < kClients; ++i) {
        const std::string& text = texts[i - 2];
        ASSERT_EQ(taken(*clients_[i]),
                  "*2\r\n$4\r\nlist\r\n$" + std::to_string(text.size()) + "\r\n" + text + "\r\n");
        ASSERT_FALSE(clients_[i]->session.blocked);
    }
    EXPECT_EQ(executor_.run({"LLEN", "list"}), ":10\r\n");
    EXPECT_EQ(executor_.run({"LINDEX", "list", "0"}), "$5\r\ne1000\r\n");
    expect_nobody_waits();
}

TEST_F(BlockedListsTest, AThousandWaitsRunOutTogether) {
    for (std::size_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(executor_.run(client(), {"BRPOP", "list", "other", "1"}), "");
    }
    executor_.set_now(TestExecutor::kStartMs + 1000);
    executor_.server().blocked_clients().expire(executor_.server().now_ms());
    for (const auto& one : clients_) {
        EXPECT_EQ(taken(*one), "*-1\r\n");
    }
    expect_nobody_waits();
}

TEST_F(BlockedListsTest, AnEarlierKeyGoesFirstWhicheverWoke) {
    TestExecutor::Client& waiter = client();
    EXPECT_EQ(executor_.run(waiter, {"BLMPOP", "0", "2", "a", "b", "LEFT", "COUNT", "9"}), "");
    executor_.run({"RPUSH", "c", "1", "2"});
    executor_.run({"RENAME", "c", "b"});
    EXPECT_EQ(taken(waiter), "*2\r\n$1\r\nb\r\n*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
    expect_nobody_waits();
}

TEST_F(BlockedListsTest, MovesInACircleEndWhereTheyBegan) {
    TestExecutor::Client& first = client();
    TestExecutor::Client& second = client();
    TestExecutor::Client& third = client();
    EXPECT_EQ(executor_.run(first, {"BLMOVE", "a", "b", "LEFT", "RIGHT", "0"}), "");
    EXPECT_EQ(executor_.run(second, {"BLMOVE", "b", "a", "LEFT", "RIGHT", "0"}), "");
    EXPECT_EQ(executor_.run(third, {"BLPOP", "a", "0"}), "");
    EXPECT_EQ(executor_.run({"RPUSH", "a", "x"}), ":1\r\n");
    EXPECT_EQ(taken(first), "$1\r\nx\r\n");
    EXPECT_EQ(taken(second), "$1\r\nx\r\n");
    EXPECT_EQ(taken(third), "*2\r\n$1\r\na\r\n$1\r\nx\r\n");
    EXPECT_EQ(executor_.run({"EXISTS", "a", "b"}), ":0\r\n");
    expect_nobody_waits();
}

TEST_F(BlockedListsTest, AWrongDestinationIsAnErrorAndTheElementStays) {
    TestExecutor::Client& waiter = client();
    executor_.run({"SET", "text", "x"});
    EXPECT_EQ(executor_.run(waiter, {"BRPOPLPUSH", "a", "text", "0"}), "");
    EXPECT_EQ(executor_.run({"RPUSH", "a", "1"}), ":1\r\n");
    EXPECT_TRUE(taken(waiter).starts_with("-WRONGTYPE"));
    EXPECT_EQ(executor_.run({"LRANGE", "a", "0", "-1"}), "*1\r\n$1\r\n1\r\n");
    expect_nobody_waits();
}

}  // namespace
}  // namespace tern::server
