#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <deque>
#include <random>
#include <vector>

#include "server/reactor/test_server.hpp"
#include "transport/magic.hpp"

namespace tern::test {
namespace {

using transport::make_record_header;
using transport::RingProtocol;

/// A server with a healthy client on a ring and one on a socket. Whatever a test does beside them,
/// they are answered and nothing of the hostile peer is left.
class HostilePeer : public testing::Test {
protected:
    ~HostilePeer() override {
        expect_health();
        server_.await("the hostile peers are gone", [&] {
            return server_.server().clients().size() == 2 && server_.reactor().stats().rings == 1;
        });
        expect_health();
    }

    void expect_health() {
        EXPECT_EQ(ring_.incr_by("health", 1).value_or(0), ++health_);
        EXPECT_EQ(socket_.incr_by("health", 1).value_or(0), ++health_);
    }
    [[nodiscard]] std::string unix_endpoint() const { return server_.endpoint("unix"); }

    TestServer server_;
    Client ring_ = server_.client("ring", Protocol::kSbe);
    Client socket_ = server_.client("unix", Protocol::kResp3);
    std::int64_t health_ = 0;
};

void write_word(const RawRing& ring, std::uint64_t offset, std::uint64_t word) {
    // release: as a producer publishes; the server's acquire in RingConsumer::peek is the partner.
    std::atomic_ref<std::uint64_t>(
        *reinterpret_cast<std::uint64_t*>(ring.mapping.memory() + offset))
        .store(word, std::memory_order_release);
}
void write_request_word(const RawRing& ring, std::uint64_t word) {
    write_word(ring, ring.mapping.spec().geometry.request_offset(), word);
    ring.ring_doorbell();
}

// ---- Records ----

TEST_F(HostilePeer, LosesItsRingByACorruptHeader) {
    constexpr std::uint8_t kData = transport::kRecordData;
    constexpr std::uint8_t kWhole = transport::kRecordWhole;
    const std::pair<const char*, std::uint64_t> headers[] = {
        {"length of 4 GiB", make_record_header(0xFFFF'FFFF, kData, kWhole)},
        {"length over the largest record", make_record_header(4096, kData, kWhole)},
        {"length one over the largest record",
         make_record_header(
             static_cast<std::uint32_t>(transport::max_record_bytes(4096)) - 7, kData, kWhole)},
        {"unknown kind", make_record_header(8, 9, kWhole)},
        {"kind 0 with a length", make_record_header(8, 0, 0)},
        {"unknown flag", make_record_header(8, kData, 0xC1)},
        {"reserved bit", make_record_header(8, kData, kWhole) | std::uint64_t{1} << 60},
        {"pad at the beginning", make_record_header(56, transport::kRecordPad, 0)},
        {"pad of a whole lap", make_record_header(4096 - 8, transport::kRecordPad, 0)},
    };
    for (const RingProtocol protocol : {RingProtocol::kResp, RingProtocol::kSbe}) {
        for (const auto& [name, header] : headers) {
            RawRing ring(unix_endpoint(), protocol);
            write_request_word(ring, header);
            EXPECT_TRUE(ring.socket.is_ended()) << name;
            expect_health();
        }
    }
}

TEST_F(HostilePeer, LosesItsRingByABadFragment) {
    const std::vector<std::uint8_t> sequences[] = {
        {transport::kRecordEnd},
        {0},
        {transport::kRecordBegin, transport::kRecordBegin},
        {transport::kRecordBegin, transport::kRecordWhole, transport::kRecordBegin},
    };
    for (const auto& sequence : sequences) {
        RawRing ring(unix_endpoint(), RingProtocol::kSbe);
        for (const std::uint8_t flags : sequence) {
            ring.send("fragment", flags);
        }
        ring.ring_doorbell();
        EXPECT_TRUE(ring.socket.is_ended()) << "sequence of " << sequence.size();
    }
}

TEST_F(HostilePeer, LosesItsRingByAnImpossiblePosition) {
    for (const RingProtocol protocol : {RingProtocol::kResp, RingProtocol::kSbe}) {
        for (const std::uint64_t position :
             {std::uint64_t{1} << 40, std::uint64_t{3}, ~std::uint64_t{0}, ~std::uint64_t{63}}) {
            RawRing ring(unix_endpoint(), protocol);
            write_word(ring, transport::kRingClientLineOffset, position);
            // The server looks at the position when its credit is used up: a lap of replies.
            server_.await("the liar's ring is freed", [&] {
                while (ring.send("PING\r\n")) {}
                ring.ring_doorbell();
                return server_.reactor().stats().rings == 1;
            });
            EXPECT_TRUE(ring.socket.is_ended()) << "position " << position;
        }
    }
    expect_health();
}

TEST_F(HostilePeer, HarmsNobodyByRandomMemory) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(seed);
        RawRing ring(unix_endpoint(), seed % 2 == 0 ? RingProtocol::kResp : RingProtocol::kSbe);
        const std::size_t total_bytes = ring.mapping.spec().geometry.total_bytes();
        // Proper headers now and then, so that what follows them is reached.
        for (std::size_t offset = 0; offset < total_bytes; offset += 8) {
            const bool is_header = offset >= transport::kRingHeaderPageBytes && offset % 64 == 0;
            const std::uint64_t word =
                is_header && random() % 8 != 0
                    ? make_record_header(static_cast<std::uint32_t>(random() % 57),
                                         transport::kRecordData,
                                         random() % 2 == 0 ? transport::kRecordWhole
                                                           : static_cast<std::uint8_t>(random()))
                    : random();
            write_word(ring, offset, word);
        }
        ring.ring_doorbell();
        expect_health();
    }
}

TEST_F(HostilePeer, HarmsNobodyByWritingWhileItIsRead) {
    std::mt19937_64 random(4711);
    for (int round = 0; round < 20; ++round) {
        RawRing ring(unix_endpoint(), round % 2 == 0 ? RingProtocol::kResp : RingProtocol::kSbe);
        const std::uint64_t start = ring.mapping.spec().geometry.request_offset();
        for (int i = 0; i < 20'000; ++i) {
            if (i % 4 == 0) {
                ring.send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n");
                ring.take_replies();
            }
            write_word(ring, start + random() % 512 * 8 + (i % 2 == 0 ? 8 : 0), random());
        }
        expect_health();
    }
}

TEST_F(HostilePeer, CannotHaveAMessageOfAStrangerGrow) {
    TestServer guarded({.password = "secret"});
    RawRing ring(guarded.endpoint("unix"), RingProtocol::kSbe, 65536);
    const std::string fragment(16384, 'x');
    std::uint8_t flags = transport::kRecordBegin;
    for (int i = 0; i < 1'000'000 && guarded.stats().rings == 1; ++i) {
        if (ring.send(fragment, flags)) {
            flags = 0;
        }
        ASSERT_LT(ring.end.producer.position(), std::uint64_t{1} << 20) << "it takes a mebibyte";
    }
    EXPECT_TRUE(ring.socket.is_ended());
}

// ---- Memory and handshake ----

std::string request_text(const transport::RingRequest& request) {
    const transport::RingRequestBytes bytes = transport::encode(request);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The descriptor that comes with the answer.
UniqueFd receive_memory(RawSocket& socket) {
    char answer[transport::kRingAnswerBytes];
    iovec part{answer, sizeof answer};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    pollfd ready{socket.fd(), POLLIN, 0};
    const bool is_answered =
        ::poll(&ready, 1, 30'000) == 1 &&
        ::recvmsg(socket.fd(), &message, MSG_CMSG_CLOEXEC) == static_cast<ssize_t>(sizeof answer);
    const cmsghdr* header = is_answered ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
        return {};
    }
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return UniqueFd(fd);
}

TEST_F(HostilePeer, CannotResizeTheMemory) {
    RawSocket socket(unix_endpoint());
    socket.send(request_text({}));
    const UniqueFd memory = receive_memory(socket);
    const int fd = memory.get();
    ASSERT_GE(fd, 0);
    EXPECT_NE(::fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK, 0);
    EXPECT_NE(::ftruncate(fd, 0), 0);
    EXPECT_NE(::ftruncate(fd, 1 << 24), 0);
    EXPECT_NE(::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0) << "nothing more may be sealed either";
    struct stat status {};
    ASSERT_EQ(::fstat(fd, &status), 0);
    EXPECT_GT(status.st_size, 8192);
}

TEST_F(HostilePeer, MayBreakOffAHandshakeAnywhere) {
    const std::string request = request_text({});
    std::deque<RawSocket> silent;
    for (std::size_t length = 1; length < request.size(); ++length) {
        RawSocket closed(unix_endpoint());
        closed.send(std::string_view(request).substr(0, length));
        silent.emplace_back(unix_endpoint()).send(std::string_view(request).substr(0, length));
    }
    expect_health();
    // The rest of what the silent ones began is still accepted.
    silent.front().send(std::string_view(request).substr(1));
    EXPECT_EQ(silent.front().receive(transport::kRingAnswerBytes).size(),
              transport::kRingAnswerBytes);
}

TEST_F(HostilePeer, IsRefusedWithAReason) {
    transport::RingRequest odd_capacity;
    odd_capacity.request_capacity_bytes = 5000;
    transport::RingRequest huge;
    huge.reply_capacity_bytes = std::uint32_t{1} << 31;
    transport::RingRequest other_version;
    other_version.version = 99;
    transport::RingRequest no_protocol;
    no_protocol.protocol = static_cast<RingProtocol>(77);
    for (const transport::RingRequest& request : {odd_capacity, huge, other_version, no_protocol}) {
        RawSocket socket(unix_endpoint());
        socket.send(request_text(request));
        const std::string answer = socket.receive(transport::kRingAnswerBytes);
        ASSERT_EQ(answer.size(), transport::kRingAnswerBytes);
        transport::RingAnswerBytes bytes;
        std::memcpy(bytes.data(), answer.data(), bytes.size());
        const auto spec = transport::decode_ring_answer(bytes, request);
        ASSERT_FALSE(spec.ok());
        EXPECT_FALSE(spec.error().message.empty());
        EXPECT_TRUE(socket.is_ended());
    }
    // Descriptors do not pass over TCP.
    RawSocket tcp(server_.endpoint("tcp"));
    tcp.send(request_text({}));
    EXPECT_TRUE(tcp.is_ended());
}

TEST_F(HostilePeer, GetsNoSecondRingOnASocket) {
    RawRing ring(unix_endpoint());
    for (int attempt = 0; attempt < 2; ++attempt) {
        ring.socket.send(request_text({}));
        const std::string answer = ring.socket.receive(transport::kRingAnswerBytes);
        ASSERT_EQ(answer.size(), transport::kRingAnswerBytes);
        transport::RingAnswerBytes bytes;
        std::memcpy(bytes.data(), answer.data(), bytes.size());
        const auto refused = transport::decode_ring_answer(bytes, {});
        ASSERT_FALSE(refused.ok());
        EXPECT_NE(refused.error().message.find("has a ring"), std::string::npos)
            << refused.error().message;
    }
    ASSERT_TRUE(ring.send("PING\r\n"));
    ring.ring_doorbell();
    server_.await("the first ring's reply",
                  [&] { return static_cast<bool>(ring.end.consumer.peek()); });
    EXPECT_EQ(server_.stats().rings, 2U);
}

// ---- Frames on sockets ----

std::string frame_length(std::uint32_t length_bytes) {
    std::string text(sizeof length_bytes, '\0');
    std::memcpy(text.data(), &length_bytes, sizeof length_bytes);
    return text;
}

TEST_F(HostilePeer, IsClosedWhenItAnnouncesFourGibibytes) {
    for (const char* kind : {"unix", "tcp"}) {
        RawSocket socket(server_.endpoint(kind));
        socket.send(std::string(transport::kSbeMagic) + frame_length(0xFFFF'FFFF) + "rest");
        EXPECT_TRUE(socket.is_ended());
    }
}

TEST_F(HostilePeer, GetsMemoryForWhatItSendsAndNotForWhatItAnnounces) {
    RawSocket frame(unix_endpoint());
    frame.send(std::string(transport::kSbeMagic) + frame_length(std::uint32_t{500} << 20) +
               std::string(100, 'x'));
    RawSocket bulk(unix_endpoint());
    bulk.send("*2\r\n$3\r\nGET\r\n$500000000\r\nabc");
    RawSocket arguments(unix_endpoint());
    arguments.send("*1000000000\r\n$3\r\nDEL\r\n");
    server_.await("all of it is read", [&] {
        std::size_t waiting_count = 0;
        for (const auto& [id, session] : server_.server().clients()) {
            waiting_count += session->peer->pending_input_bytes() != 0 ? 1 : 0;
        }
        return waiting_count == 3;
    });
    server_.on_loop([&] {
        for (const auto& [id, session] : server_.server().clients()) {
            EXPECT_LE(session->peer->input_capacity_bytes(), std::size_t{2} << 20);
        }
    });
    expect_health();
}

TEST_F(HostilePeer, MayBreakOffAFrameAnywhere) {
    for (std::size_t length = 0; length < 40; ++length) {
        RawSocket socket(unix_endpoint());
        socket.send((std::string(transport::kSbeMagic) + frame_length(32) + std::string(28, '\1'))
                        .substr(0, length));
    }
    expect_health();
}

TEST_F(HostilePeer, GetsErrorsForRandomFramesAndTexts) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        std::mt19937_64 random(seed);
        std::string bytes =
            seed % 2 == 0 ? std::string(transport::kSbeMagic) : std::string("*3\r\n");
        for (int frame = 0; frame < 50; ++frame) {
            std::string body(random() % 200, '\0');
            for (char& c : body) {
                c = static_cast<char>(random());
            }
            bytes += frame_length(static_cast<std::uint32_t>(body.size())) + body;
        }
        RawSocket socket(unix_endpoint());
        socket.send(bytes);
        expect_health();
    }
}

}  // namespace
}  // namespace tern::test
