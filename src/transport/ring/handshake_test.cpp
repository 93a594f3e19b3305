#include "transport/ring/handshake.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "transport/magic.hpp"
#include "transport/ring/doorbell.hpp"

namespace tern::transport {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kInstance = 0x0123456789ABCDEF;
constexpr int kTimeoutMs = 5000;
constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Pair {
    UniqueFd client;
    UniqueFd server;
};

Pair make_pair() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    return Pair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

RingGate::Outcome grant(const RingRequest& request = {}, const RingLimits& limits = {}) {
    RingGate gate;
    return gate.answer(encode(request), limits, kInstance);
}

std::string refusal(const RingGate::Outcome& outcome) {
    EXPECT_FALSE(outcome.mapping);
    const auto answer = decode_ring_answer(outcome.answer, RingRequest{});
    EXPECT_FALSE(answer);
    return answer ? "" : answer.error().message;
}

/// A memory that looks like a proper ring, to be spoiled before it is sent.
UniqueFd make_memory(const RingSpec& spec, int seals) {
    const Result<RingMapping> proper = RingMapping::create(spec);
    EXPECT_TRUE(proper);
    UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto total = spec.geometry.total_bytes();
    EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(total)), 0);
    EXPECT_EQ(::pwrite(fd.get(), proper->memory(), kRingHeaderPageBytes, 0),
              static_cast<ssize_t>(kRingHeaderPageBytes));
    if (seals != 0) {
        EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
    }
    return fd;
}

RingSpec small_spec() {
    RingSpec spec;
    spec.geometry = {4096, 8192};
    spec.instance_id = kInstance;
    return spec;
}

TEST(RingHandshake, GrantsARingThatCarriesMessages) {
    const Pair sockets = make_pair();
    RingGate::Outcome outcome = grant({.protocol = RingProtocol::kSbe,
                                       .client_policy = WaitPolicy::kBlock,
                                       .request_capacity_bytes = 4096,
                                       .reply_capacity_bytes = 16384});
    ASSERT_TRUE(outcome.mapping);
    ASSERT_TRUE(send_ring_answer(sockets.server.get(), outcome));
    // The answer waits in the socket, so one thread can play both sides.
    Result<RingMapping> client = request_ring(sockets.client.get(),
                                              {.protocol = RingProtocol::kSbe,
                                               .client_policy = WaitPolicy::kBlock,
                                               .request_capacity_bytes = 4096,
                                               .reply_capacity_bytes = 16384},
                                              kTimeoutMs);
    ASSERT_TRUE(client) << client.error().message;
    RingRequestBytes asked{};
    ASSERT_EQ(::recv(sockets.server.get(), asked.data(), asked.size(), 0),
              static_cast<ssize_t>(asked.size()));
    EXPECT_EQ(sniff(as_text(asked)), Sniffed::kRing);
    EXPECT_EQ(decode_ring_request(asked).reply_capacity_bytes, 16384U);
    EXPECT_EQ(client->spec().instance_id, kInstance);
    EXPECT_EQ(client->spec().geometry.reply_capacity_bytes, 16384U);

    RingEnd near = client->end(RingSide::kClient);
    RingEnd far = outcome.mapping->end(RingSide::kServer);
    const RingClaim claim = near.producer.try_claim(5);
    ASSERT_TRUE(claim);
    std::memcpy(claim.data, "hello", 5);
    near.producer.commit(5);
    const RingRecord record = far.consumer.peek();
    ASSERT_TRUE(record);
    EXPECT_EQ(as_text(record.payload()), "hello");
    EXPECT_FALSE(near.is_peer_closed());
    far.close();
    EXPECT_TRUE(near.is_peer_closed());
    EXPECT_FALSE(far.is_peer_closed());
}

TEST(RingHandshake, MemoryCannotBeResized) {
    const RingGate::Outcome outcome = grant();
    ASSERT_TRUE(outcome.mapping);
    const int fd = outcome.mapping->fd();
    EXPECT_EQ(::ftruncate(fd, 0), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::ftruncate(fd, 1 << 30), -1);
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(RingHandshake, ServerSurvivesAHolePunchedInTheMemory) {
    RingGate::Outcome outcome = grant();
    ASSERT_TRUE(outcome.mapping);
    const auto total = static_cast<off_t>(outcome.mapping->spec().geometry.total_bytes());
    ASSERT_EQ(
        ::fallocate(outcome.mapping->fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, total),
        0);
    RingEnd server = outcome.mapping->end(RingSide::kServer);
    EXPECT_FALSE(server.consumer.peek());
    EXPECT_TRUE(server.producer.try_claim(100));
    server.producer.commit(100);
}

TEST(RingHandshake, ClientRefusesMemoryThatIsNotSealed) {
    const RingSpec spec = small_spec();
    const auto attached = RingMapping::attach(make_memory(spec, 0), spec);
    ASSERT_FALSE(attached);
    EXPECT_THAT(attached.error().message, HasSubstr("seals"));
    EXPECT_FALSE(RingMapping::attach(make_memory(spec, F_SEAL_SHRINK), spec));
    EXPECT_TRUE(RingMapping::attach(make_memory(spec, kSizeSeals), spec));
}

TEST(RingHandshake, ClientRefusesWhatIsNoMemfd) {
    const RingSpec spec = small_spec();
    int pipe_fds[2] = {-1, -1};
    ASSERT_EQ(::pipe(pipe_fds), 0);
    const UniqueFd other_end(pipe_fds[1]);
    EXPECT_FALSE(RingMapping::attach(UniqueFd(pipe_fds[0]), spec));
    EXPECT_FALSE(RingMapping::attach(UniqueFd(), spec));
}

TEST(RingHandshake, ClientRefusesAnotherSize) {
    const RingSpec spec = small_spec();
    RingSpec larger = spec;
    larger.geometry.reply_capacity_bytes = 16384;
    const auto attached = RingMapping::attach(make_memory(spec, kSizeSeals), larger);
    ASSERT_FALSE(attached);
    EXPECT_THAT(attached.error().message, HasSubstr("announced 24576 bytes and sent 16384"));
}

TEST(RingHandshake, ClientRefusesAnotherInstance) {
    const RingSpec spec = small_spec();
    RingSpec stale = spec;
    stale.instance_id = 7;
    const auto attached = RingMapping::attach(make_memory(spec, kSizeSeals), stale);
    ASSERT_FALSE(attached);
    EXPECT_THAT(attached.error().message, HasSubstr("0000000000000007"));
}

TEST(RingHandshake, ClientRefusesEveryChangedHeaderByte) {
    const RingSpec spec = small_spec();
    for (std::size_t offset = 0; offset < sizeof(RingHeader); ++offset) {
        UniqueFd memory = make_memory(spec, kSizeSeals);
        char byte = 0;
        ASSERT_EQ(::pread(memory.get(), &byte, 1, static_cast<off_t>(offset)), 1);
        byte = static_cast<char>(byte ^ 0x41);
        ASSERT_EQ(::pwrite(memory.get(), &byte, 1, static_cast<off_t>(offset)), 1);
        EXPECT_FALSE(RingMapping::attach(std::move(memory), spec)) << "offset " << offset;
    }
}

TEST(RingHandshake, SecondRingOnOneSocketIsRefused) {
    RingGate gate;
    const RingGate::Outcome first = gate.answer(encode(RingRequest{}), {}, kInstance);
    EXPECT_TRUE(first.mapping);
    EXPECT_TRUE(gate.has_granted());
    EXPECT_THAT(refusal(gate.answer(encode(RingRequest{}), {}, kInstance)),
                HasSubstr("this socket has a ring"));
}

TEST(RingHandshake, RefusalsSayWhy) {
    EXPECT_THAT(refusal(grant({.version = 2})), HasSubstr("ring version 2 asked, 1 spoken"));
    EXPECT_THAT(refusal(grant({.request_capacity_bytes = 5000})), HasSubstr("power of two"));
    EXPECT_THAT(refusal(grant({.reply_capacity_bytes = 2048})), HasSubstr("power of two"));
    EXPECT_THAT(refusal(grant({.protocol = static_cast<RingProtocol>(0)})), HasSubstr("protocol"));
    EXPECT_THAT(refusal(grant({.client_policy = static_cast<WaitPolicy>(3)})), HasSubstr("policy"));
    EXPECT_THAT(refusal(RingGate::refuse(RingStatus::kRefused, std::string(500, 'x'))),
                HasSubstr(std::string(kRingReasonBytesMax, 'x')));
}

TEST(RingHandshake, CapacityIsKeptWithinTheServersBounds) {
    const RingLimits limits{
        .capacity_bytes_min = 8192, .capacity_bytes_max = 32768, .capacity_bytes_default = 16384};
    const auto outcome =
        grant({.request_capacity_bytes = 4096, .reply_capacity_bytes = 1 << 20}, limits);
    ASSERT_TRUE(outcome.mapping);
    EXPECT_EQ(outcome.mapping->spec().geometry.request_capacity_bytes, 8192U);
    EXPECT_EQ(outcome.mapping->spec().geometry.reply_capacity_bytes, 32768U);
    const auto by_default = grant({}, limits);
    EXPECT_EQ(by_default.mapping->spec().geometry.request_capacity_bytes, 16384U);
}

TEST(RingHandshake, ClientNamesWhatWentWrongOnTheSocket) {
    Pair sockets = make_pair();
    EXPECT_EQ(request_ring(sockets.client.get(), {}, 1).error().code, Errc::kTimedOut);

    sockets = make_pair();
    ASSERT_EQ(::send(sockets.server.get(), "TERNRING", 8, 0), 8);
    sockets.server.reset();
    EXPECT_FALSE(request_ring(sockets.client.get(), {}, kTimeoutMs));

    sockets = make_pair();
    const std::string foreign = "-ERR unknown command" + std::string(kRingAnswerBytes, ' ');
    ASSERT_GT(::send(sockets.server.get(), foreign.data(), foreign.size(), 0), 0);
    EXPECT_THAT(request_ring(sockets.client.get(), {}, kTimeoutMs).error().message,
                HasSubstr("is this a tern server?"));

    sockets = make_pair();
    RingGate::Outcome without_memory = grant();
    without_memory.mapping.reset();
    ASSERT_TRUE(send_ring_answer(sockets.server.get(), without_memory));
    EXPECT_THAT(request_ring(sockets.client.get(), {}, kTimeoutMs).error().message,
                HasSubstr("no memory came with it"));
}

TEST(RingHandshake, RandomAnswersAreRefusedOrPossible) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const RingAnswerBytes proper = grant().answer;
    for (int i = 0; i < 20'000; ++i) {
        RingAnswerBytes bytes = proper;
        for (std::uint64_t changes = random() % 4 + 1; changes != 0; --changes) {
            bytes[8 + random() % (bytes.size() - 8)] = static_cast<std::byte>(random());
        }
        const Result<RingSpec> spec = decode_ring_answer(bytes, {});
        if (spec) {
            EXPECT_TRUE(is_valid_ring_capacity(spec->geometry.request_capacity_bytes));
            EXPECT_TRUE(is_valid_ring_capacity(spec->geometry.reply_capacity_bytes));
        }
    }
}

TEST(RingHandshake, AnswerHasThePublishedBytes) {
    const auto outcome = grant({.request_capacity_bytes = 4096, .reply_capacity_bytes = 8192});
    const std::string_view bytes = as_text(outcome.answer);
    EXPECT_EQ(bytes.substr(0, 8), "TERNRING");
    EXPECT_EQ(bytes.substr(8, 8), std::string_view("\1\0\0\0\0\0\0\0", 8));
    EXPECT_EQ(bytes.substr(16, 8), "\xEF\xCD\xAB\x89\x67\x45\x23\x01");
    EXPECT_EQ(bytes.substr(24, 8), std::string_view("\0\x40\0\0\0\0\0\0", 8));
    EXPECT_EQ(bytes.substr(32, 8), std::string_view("\0\x10\0\0\0\x20\0\0", 8));
    EXPECT_EQ(bytes.substr(40, 2), std::string_view("\1\0", 2));
}

TEST(Doorbell, TellsAHangUpFromSilence) {
    Pair sockets = make_pair();
    EXPECT_EQ(check_link(sockets.client.get()), LinkState::kOpen);
    EXPECT_EQ(drain_doorbells(sockets.client.get()), LinkState::kOpen);
    EXPECT_EQ(ring_doorbell(sockets.server.get()), LinkState::kOpen);
    EXPECT_EQ(check_link(sockets.client.get()), LinkState::kOpen);
    EXPECT_EQ(drain_doorbells(sockets.client.get()), LinkState::kOpen);
    EXPECT_EQ(ring_doorbell(sockets.server.get()), LinkState::kOpen);
    sockets.server.reset();
    EXPECT_EQ(check_link(sockets.client.get()), LinkState::kHungUp) << "a bell hides the end";
    EXPECT_EQ(ring_doorbell(sockets.client.get()), LinkState::kHungUp);
}

TEST(Doorbell, NeverBlocksWhenThePeerDoesNotListen) {
    const Pair sockets = make_pair();
    for (int i = 0; i < 20'000; ++i) {
        ASSERT_EQ(ring_doorbell(sockets.server.get()), LinkState::kOpen);
    }
    EXPECT_EQ(drain_doorbells(sockets.client.get()), LinkState::kOpen);
}

}  // namespace
}  // namespace tern::transport
