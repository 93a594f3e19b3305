// Two threads on one ring; run under ThreadSanitizer too. Nobody spins without yielding.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "base/unique_fd.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/message.hpp"
#include "transport/ring/ring.hpp"
#include "transport/ring/test_ring.hpp"

namespace tern::transport {
namespace {

/// Message `number` is `length` bytes that only it has at their places.
std::byte byte_at(std::uint64_t number, std::size_t index) {
    return static_cast<std::byte>(number * 167 + index * 13);
}
std::size_t length_of(std::uint64_t number, std::size_t length_max) {
    std::uint64_t mixed = number * 0x9E3779B97F4A7C15;
    mixed ^= mixed >> 29;
    return number % 4 == 0 ? mixed % (length_max + 1) : mixed % 130;
}

void fill(std::uint64_t number, std::byte* to, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
        to[i] = byte_at(number, i);
    }
}
bool is_message(std::uint64_t number, Bytes bytes, std::size_t length_max) {
    if (bytes.size() != length_of(number, length_max)) {
        return false;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != byte_at(number, i)) {
            return false;
        }
    }
    return true;
}

TEST(RingThreads, EveryRecordArrivesWholeAndInOrder) {
    constexpr std::uint64_t kMessageCount = 60'000;
    TestRing ring(4 * kRingCapacityBytesMin);
    RingProducer& producer = ring.client.producer;
    RingConsumer& consumer = ring.server.consumer;
    const std::size_t length_max = producer.max_payload_bytes();
    std::uint64_t bell_count = 0;
    std::thread writer([&] {
        for (std::uint64_t number = 0; number < kMessageCount;) {
            const std::size_t length = length_of(number, length_max);
            const RingClaim claim =
                number % 2 == 0 ? producer.try_claim(length) : producer.try_stage(length);
            if (!claim) {
                std::this_thread::yield();
                continue;
            }
            fill(number++, claim.data, length);
            producer.commit(length);
            bell_count += producer.needs_wakeup() ? 1 : 0;
        }
    });
    std::uint64_t bad_count = 0;
    for (std::uint64_t number = 0; number < kMessageCount;) {
        const RingRecord record = consumer.peek();
        if (!record) {
            ASSERT_NE(record.status, PeekStatus::kCorrupt);
            std::this_thread::yield();
            continue;
        }
        bad_count += is_message(number++, record.payload(), length_max) ? 0 : 1;
        consumer.consume();
    }
    writer.join();
    EXPECT_EQ(bad_count, 0U);
    EXPECT_EQ(bell_count, 0U);
    EXPECT_FALSE(consumer.peek());
}

/// One side of a ring that sleeps whenever it has nothing to do, as policy kBlock does.
struct Sleeper {
    RingEnd& end;
    int socket_fd;
    bool is_lost = false;

    /// A lost wake-up shows as a bell that does not come for this long.
    static constexpr int kPatienceMs = 20'000;

    void sleep_until_bell() {
        pollfd waiting{socket_fd, POLLIN, 0};
        is_lost |= ::poll(&waiting, 1, kPatienceMs) != 1;
        drain_doorbells(socket_fd);
    }
    void bell_if_needed() {
        const bool has_data = end.producer.needs_wakeup();
        const bool has_space = end.consumer.take_space_wakeup();
        if (has_data || has_space) {
            ring_doorbell(socket_fd);
        }
    }
    RingRecord next_record() {
        for (;;) {
            const RingRecord record = end.consumer.peek();
            if (record || is_lost) {
                return record;
            }
            if (end.consumer.prepare_wait()) {
                bell_if_needed();
                sleep_until_bell();
                end.consumer.cancel_wait();
            }
        }
    }
    void send(std::uint64_t number, std::size_t length) {
        RingClaim claim = end.producer.try_claim(length);
        while (!claim && !is_lost) {
            if (end.producer.prepare_wait_for_space(length)) {
                sleep_until_bell();
                end.producer.cancel_wait();
            }
            claim = end.producer.try_claim(length);
        }
        if (claim) {
            fill(number, claim.data, length);
            end.producer.commit(length);
        }
        bell_if_needed();
    }
};

struct Sockets {
    UniqueFd client;
    UniqueFd server;
    Sockets() {
        int fds[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        client.reset(fds[0]);
        server.reset(fds[1]);
    }
};

TEST(RingThreads, NoWakeUpIsLostInEcho) {
    constexpr std::uint64_t kRoundCount = 4'000;
    TestRing ring(4 * kRingCapacityBytesMin);
    const Sockets sockets;
    const std::size_t length_max = ring.client.producer.max_payload_bytes();
    std::thread echo([&] {
        Sleeper server{ring.server, sockets.server.get()};
        for (std::uint64_t number = 0; number < kRoundCount && !server.is_lost; ++number) {
            const RingRecord record = server.next_record();
            const std::size_t length = record.length_bytes;
            server.end.consumer.consume();
            server.send(number, length);
        }
        EXPECT_FALSE(server.is_lost);
    });
    Sleeper client{ring.client, sockets.client.get()};
    for (std::uint64_t number = 0; number < kRoundCount && !client.is_lost; ++number) {
        client.send(number, length_of(number, length_max));
        const RingRecord record = client.next_record();
        ASSERT_TRUE(is_message(number, record.payload(), length_max)) << number;
        client.end.consumer.consume();
    }
    echo.join();
    EXPECT_FALSE(client.is_lost);
}

TEST(RingThreads, NoWakeUpIsLostWhenBothSidesSleepOnAFullRing) {
    constexpr std::uint64_t kMessageCount = 20'000;
    TestRing ring;
    const Sockets sockets;
    const std::size_t length_max = ring.client.producer.max_payload_bytes();
    std::thread writer([&] {
        Sleeper client{ring.client, sockets.client.get()};
        for (std::uint64_t number = 0; number < kMessageCount && !client.is_lost; ++number) {
            client.send(number, length_of(number, length_max));
        }
        EXPECT_FALSE(client.is_lost);
    });
    Sleeper server{ring.server, sockets.server.get()};
    std::uint64_t bad_count = 0;
    for (std::uint64_t number = 0; number < kMessageCount && !server.is_lost; ++number) {
        const RingRecord record = server.next_record();
        bad_count += is_message(number, record.payload(), length_max) ? 0 : 1;
        server.end.consumer.consume();
        server.bell_if_needed();
    }
    writer.join();
    EXPECT_FALSE(server.is_lost);
    EXPECT_EQ(bad_count, 0U);
}

TEST(RingWaiting, SleepIsRefusedWhenARecordIsThere) {
    TestRing ring;
    EXPECT_TRUE(ring.server.consumer.prepare_wait());
    ASSERT_TRUE(ring.client.producer.try_claim(1));
    ring.client.producer.commit(1);
    EXPECT_TRUE(ring.client.producer.needs_wakeup());
    EXPECT_FALSE(ring.client.producer.needs_wakeup()) << "one bell is enough";
    EXPECT_FALSE(ring.server.consumer.prepare_wait());
    EXPECT_FALSE(ring.client.producer.needs_wakeup()) << "the refused sleep withdrew its flag";
}

TEST(RingWaiting, PeerThatSpinsIsNeverRungFor) {
    TestRing ring(kRingCapacityBytesMin, WaitPolicy::kSpin);
    EXPECT_TRUE(ring.server.consumer.prepare_wait());
    ASSERT_TRUE(ring.client.producer.try_claim(1));
    ring.client.producer.commit(1);
    EXPECT_FALSE(ring.client.producer.needs_wakeup());
}

TEST(RingWaiting, FullRingSleepsAndIsWokenByCredit) {
    TestRing ring;
    RingProducer& producer = ring.client.producer;
    while (producer.try_claim(1)) {
        producer.commit(1);
    }
    EXPECT_TRUE(producer.prepare_wait_for_space(1));
    EXPECT_FALSE(ring.server.consumer.take_space_wakeup());
    for (int i = 0; i < 16; ++i) {
        ASSERT_TRUE(ring.server.consumer.peek());
        ring.server.consumer.consume();
    }
    EXPECT_TRUE(ring.server.consumer.take_space_wakeup());
    EXPECT_FALSE(ring.server.consumer.take_space_wakeup());
    EXPECT_FALSE(producer.prepare_wait_for_space(1)) << "there is room now";
}

}  // namespace
}  // namespace tern::transport
