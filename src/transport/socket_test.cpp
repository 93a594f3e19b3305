#include "transport/socket.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "transport/poller.hpp"

namespace tern::transport {
namespace {

using testing::HasSubstr;

constexpr int kTimeoutMs = 5000;

/// A folder of its own that goes with the test.
class SocketTest : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/tern_socket_test_XXXXXX";
        ASSERT_NE(::mkdtemp(name), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    Endpoint unix_endpoint(const std::string& name) const {
        return Endpoint{.kind = EndpointKind::kUnix, .path = folder_ + "/" + name};
    }

    std::string folder_;
};

Endpoint any_port(const std::string& host) {
    return Endpoint{.kind = EndpointKind::kTcp, .host = host};
}

/// Takes the connection that `connect_to` has just made.
UniqueFd accept_one(const Listener& listener) {
    Result<Poller> poller = Poller::open();
    EXPECT_TRUE(poller->add(listener.fd(), Interest::kRead, 1));
    EXPECT_EQ(poller->wait(kTimeoutMs).size(), 1U);
    Accepted accepted = accept_from(listener.fd(), listener.endpoint().kind);
    EXPECT_EQ(accepted.status, IoStatus::kDone);
    return std::move(accepted.fd);
}

std::string receive_text(int fd) {
    Result<Poller> poller = Poller::open();
    EXPECT_TRUE(poller->add(fd, Interest::kRead, 1));
    EXPECT_EQ(poller->wait(kTimeoutMs).size(), 1U);
    std::array<std::byte, 100> buffer{};
    const IoResult got = receive(fd, buffer);
    return std::string(as_text(Bytes(buffer).first(got.transferred_bytes)));
}

void expect_talk(const Listener& listener) {
    Result<UniqueFd> client = connect_to(listener.endpoint(), kTimeoutMs);
    ASSERT_TRUE(client) << client.error().message;
    UniqueFd server = accept_one(listener);
    ASSERT_EQ(send(client->get(), as_bytes("ping")).transferred_bytes, 4U);
    EXPECT_EQ(receive_text(server.get()), "ping");
    const std::string left = "po";
    const std::string right = "ng";
    const std::array<iovec, 2> parts{
        {{const_cast<char*>(left.data()), 2}, {const_cast<char*>(right.data()), 2}}};
    ASSERT_EQ(send(server.get(), parts).transferred_bytes, 4U);
    EXPECT_EQ(receive_text(client->get()), "pong");
    std::array<std::byte, 8> buffer{};
    EXPECT_EQ(receive(server.get(), buffer).status, IoStatus::kWouldBlock);
    client->reset();
    EXPECT_EQ(receive_text(server.get()), "");
    EXPECT_EQ(receive(server.get(), buffer).status, IoStatus::kClosed);
}

TEST_F(SocketTest, TcpCarriesBytes) {
    const Result<Listener> listener = Listener::open(any_port("127.0.0.1"));
    ASSERT_TRUE(listener) << listener.error().message;
    EXPECT_NE(listener->endpoint().port, 0);
    expect_talk(*listener);
}

TEST_F(SocketTest, TcpCarriesBytesOnIpv6) {
    const Result<Listener> listener = Listener::open(any_port("::1"));
    if (!listener) {
        GTEST_SKIP() << "no IPv6 here: " << listener.error().message;
    }
    expect_talk(*listener);
}

TEST_F(SocketTest, UnixCarriesBytes) {
    const Result<Listener> listener = Listener::open(unix_endpoint("talk.sock"));
    ASSERT_TRUE(listener) << listener.error().message;
    expect_talk(*listener);
}

TEST_F(SocketTest, TcpSocketsDoNotDelay) {
    const Result<Listener> listener = Listener::open(any_port("127.0.0.1"));
    ASSERT_TRUE(listener);
    const Result<UniqueFd> client = connect_to(listener->endpoint(), kTimeoutMs);
    ASSERT_TRUE(client);
    const UniqueFd server = accept_one(*listener);
    for (const int fd : {client->get(), server.get()}) {
        int value = 0;
        socklen_t length = sizeof value;
        ASSERT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &length), 0);
        EXPECT_NE(value, 0);
        EXPECT_NE(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    }
    EXPECT_THAT(peer_name(server.get()), HasSubstr("127.0.0.1:"));
    EXPECT_EQ(peer_name(server.get()), local_name(client->get()));
}

TEST_F(SocketTest, AcceptWithoutAClientWouldBlock) {
    const Result<Listener> listener = Listener::open(any_port("127.0.0.1"));
    ASSERT_TRUE(listener);
    EXPECT_EQ(accept_from(listener->fd(), EndpointKind::kTcp).status, IoStatus::kWouldBlock);
}

TEST_F(SocketTest, PortInUseNamesTheEndpointAndTheOption) {
    const Result<Listener> first = Listener::open(any_port("127.0.0.1"));
    ASSERT_TRUE(first);
    const Result<Listener> second = Listener::open(first->endpoint());
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr(to_string(first->endpoint())));
    EXPECT_THAT(second.error().message, HasSubstr("--port"));
    EXPECT_EQ(second.error().message.find('\n'), std::string::npos);
}

TEST_F(SocketTest, UnixPathInUseNamesTheOption) {
    const Result<Listener> first = Listener::open(unix_endpoint("used.sock"));
    ASSERT_TRUE(first);
    const Result<Listener> second = Listener::open(unix_endpoint("used.sock"));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("used.sock"));
    EXPECT_THAT(second.error().message, HasSubstr("--unixsocket"));
    accept_one(*first);   // the second one's question whether somebody listens
    expect_talk(*first);  // it has not taken the path away
}

TEST_F(SocketTest, StaleUnixSocketIsReplaced) {
    const Endpoint endpoint = unix_endpoint("stale.sock");
    {
        Result<Listener> dead = Listener::open(endpoint);
        ASSERT_TRUE(dead);
        // As after kill -9: the socket is gone, its file is not.
        std::filesystem::rename(endpoint.path, endpoint.path + ".kept");
    }
    std::filesystem::rename(endpoint.path + ".kept", endpoint.path);
    const Result<UniqueFd> refused = connect_to(endpoint, kTimeoutMs);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("is a server listening there?"));
    const Result<Listener> fresh = Listener::open(endpoint);
    ASSERT_TRUE(fresh) << fresh.error().message;
    expect_talk(*fresh);
}

TEST_F(SocketTest, FileThatIsNoSocketStays) {
    const Endpoint endpoint = unix_endpoint("notes.txt");
    std::FILE* file = std::fopen(endpoint.path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fclose(file);
    const Result<Listener> listener = Listener::open(endpoint);
    ASSERT_FALSE(listener);
    EXPECT_THAT(listener.error().message, HasSubstr("is not a socket"));
    EXPECT_TRUE(std::filesystem::exists(endpoint.path));
}

TEST_F(SocketTest, MissingFolderIsNamed) {
    const Result<Listener> listener = Listener::open(unix_endpoint("no/such/tern.sock"));
    ASSERT_FALSE(listener);
    EXPECT_THAT(listener.error().message, HasSubstr("create the folder"));
}

TEST_F(SocketTest, UnixFileHasTheModeAndGoesWithItsListener) {
    const Endpoint endpoint = unix_endpoint("mode.sock");
    {
        const Result<Listener> listener = Listener::open(endpoint, {.unix_mode = 0770});
        ASSERT_TRUE(listener);
        struct stat status {};
        ASSERT_EQ(::stat(endpoint.path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0770U);
    }
    EXPECT_FALSE(std::filesystem::exists(endpoint.path));
}

TEST_F(SocketTest, FileOfASuccessorIsNotRemoved) {
    const Endpoint endpoint = unix_endpoint("next.sock");
    Result<Listener> first = Listener::open(endpoint);
    ASSERT_TRUE(first);
    std::filesystem::remove(endpoint.path);
    const Result<Listener> second = Listener::open(endpoint);
    ASSERT_TRUE(second);
    { const Listener gone = std::move(*first); }
    EXPECT_TRUE(std::filesystem::exists(endpoint.path));
    expect_talk(*second);
}

TEST_F(SocketTest, PeerOfAUnixSocketIsKnown) {
    const Result<Listener> listener = Listener::open(unix_endpoint("who.sock"));
    ASSERT_TRUE(listener);
    const Result<UniqueFd> client = connect_to(listener->endpoint(), kTimeoutMs);
    ASSERT_TRUE(client);
    const UniqueFd server = accept_one(*listener);
    const Result<PeerCredentials> peer = peer_credentials(server.get());
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->pid, ::getpid());
    EXPECT_EQ(peer->uid, ::geteuid());
}

TEST_F(SocketTest, ConnectErrorsNameTheEndpoint) {
    std::uint16_t port = 0;
    {
        const Result<Listener> listener = Listener::open(any_port("127.0.0.1"));
        port = listener->endpoint().port;
    }
    const Endpoint closed{.kind = EndpointKind::kTcp, .host = "127.0.0.1", .port = port};
    const Result<UniqueFd> refused = connect_to(closed, kTimeoutMs);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::kUnavailable);
    EXPECT_THAT(refused.error().message, HasSubstr(to_string(closed)));
    EXPECT_FALSE(connect_to(Endpoint{.kind = EndpointKind::kAeron, .channel_uri = "aeron:ipc"}, 1));
    EXPECT_FALSE(
        Listener::open(Endpoint{.kind = EndpointKind::kAeron, .channel_uri = "aeron:ipc"}));
}

TEST_F(SocketTest, SendToAClosedPeerIsClosedAndRaisesNothing) {
    int fds[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    const UniqueFd near(fds[0]);
    ::close(fds[1]);
    EXPECT_EQ(send(near.get(), as_bytes("x")).status, IoStatus::kClosed);
}

TEST(PollerTest, TellsWhatItWasAskedFor) {
    Result<Poller> poller = Poller::open();
    ASSERT_TRUE(poller);
    int fds[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    UniqueFd near(fds[0]);
    UniqueFd far(fds[1]);
    ASSERT_TRUE(poller->add(near.get(), Interest::kRead, 42));
    EXPECT_EQ(poller->wait(0).size(), 0U);
    ASSERT_EQ(send(far.get(), as_bytes("x")).status, IoStatus::kDone);
    const auto events = poller->wait(kTimeoutMs);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].token, 42U);
    EXPECT_TRUE(events[0].is_readable);
    EXPECT_FALSE(events[0].is_writable);
    ASSERT_TRUE(poller->modify(near.get(), Interest::kWrite, 43));
    const auto writable = poller->wait(kTimeoutMs);
    ASSERT_EQ(writable.size(), 1U);
    EXPECT_EQ(writable[0].token, 43U);
    EXPECT_TRUE(writable[0].is_writable);
    EXPECT_FALSE(writable[0].is_hung_up);
    far.reset();
    ASSERT_EQ(poller->wait(kTimeoutMs).size(), 1U);
    poller->remove(near.get());
    EXPECT_EQ(poller->wait(0).size(), 0U);
    EXPECT_FALSE(poller->add(-1, Interest::kRead, 1));
}

}  // namespace
}  // namespace tern::transport
