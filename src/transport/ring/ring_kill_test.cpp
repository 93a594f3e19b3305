// The producer's process dies: the consumer finds nothing or a whole message, never a part of one.
// What a process leaves behind when it is killed is what its shared memory holds between two of its
// instructions, so one test looks after every single instruction, and the other kills for real.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/ring.hpp"

namespace tern::transport {
namespace {

constexpr std::size_t kCapacityBytes = 2 * kRingLapBytes;

/// Ring memory that a forked process shares.
class SharedRing {
public:
    SharedRing()
        : memory_(static_cast<std::byte*>(::mmap(nullptr,
                                                 geometry_.total_bytes(),
                                                 PROT_READ | PROT_WRITE,
                                                 MAP_SHARED | MAP_ANONYMOUS,
                                                 -1,
                                                 0))) {
        client = make_ring_end(memory_, geometry_, RingSide::kClient, WaitPolicy::kBlock);
        server = make_ring_end(memory_, geometry_, RingSide::kServer, WaitPolicy::kBlock);
    }
    ~SharedRing() { ::munmap(memory_, geometry_.total_bytes()); }
    SharedRing(const SharedRing&) = delete;
    SharedRing& operator=(const SharedRing&) = delete;

    /// Fills the requests with what looks like headers, and leaves both ends at line `line_index`.
    void make_stale(std::size_t line_index) {
        const std::uint64_t lie = make_record_header(40, kRecordData, kRecordWhole);
        fill_all(lie);
        for (std::size_t i = 0; i < line_index; ++i) {
            const RingClaim claim = client.producer.try_claim(1);
            ASSERT_TRUE(claim);
            for (std::size_t at = 0; at + 8 <= claim.capacity_bytes; at += 8) {
                std::memcpy(claim.data + at, &lie, 8);
            }
            client.producer.commit(1);
            ASSERT_TRUE(server.consumer.peek());
            server.consumer.consume();
        }
        server.consumer.flush_credit();
    }

    RingEnd client;
    RingEnd server;

private:
    /// All but the first header, as after many laps.
    void fill_all(std::uint64_t word) {
        std::byte* data = memory_ + geometry_.request_offset();
        for (std::size_t at = 8; at < kCapacityBytes; at += 8) {
            std::memcpy(data + at, &word, 8);
        }
    }

    RingGeometry geometry_{kCapacityBytes, kCapacityBytes};
    std::byte* memory_;
};

void send(RingProducer& producer, std::string_view text) {
    const RingClaim claim = producer.try_claim(text.size());
    if (claim) {
        std::memcpy(claim.data, text.data(), text.size());
        producer.commit(text.size());
        static_cast<void>(producer.needs_wakeup());
    }
}

/// 0: nothing visible; 1: exactly the whole message; -1: anything else.
int visible(RingConsumer consumer, std::string_view text) {
    const RingRecord record = consumer.peek();
    if (!record) {
        return record.status == PeekStatus::kNone ? 0 : -1;
    }
    if (as_text(record.payload()) != text) {
        return -1;
    }
    consumer.consume();
    return consumer.peek().status == PeekStatus::kNone ? 1 : -1;
}

struct Walk {
    int step_count = 0;
    int bad_count = 0;
    int visible_after = -1;  ///< instructions
};

/// Steps a child through `send`, looking at the ring as a consumer between any two instructions.
Walk walk_through_send(SharedRing& ring, std::string_view text) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
            ::_exit(77);
        }
        ::raise(SIGSTOP);
        send(ring.client.producer, text);
        ::_exit(0);
    }
    Walk walk;
    int status = 0;
    ::waitpid(child, &status, 0);
    while (WIFSTOPPED(status)) {
        const int seen = visible(ring.server.consumer, text);
        walk.bad_count += seen < 0 ? 1 : 0;
        if (seen == 1 && walk.visible_after < 0) {
            walk.visible_after = walk.step_count;
        }
        ++walk.step_count;
        if (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) {
            break;
        }
        ::waitpid(child, &status, 0);
    }
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    return walk;
}

TEST(RingKill, NothingOrAWholeMessageAfterEachInstruction) {
    if (const pid_t child = ::fork(); child == 0) {
        ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
    } else {
        int status = 0;
        ::waitpid(child, &status, 0);
        if (status != 0) {
            GTEST_SKIP() << "this machine does not allow ptrace";
        }
    }
    constexpr std::size_t kLines = kCapacityBytes / kRingLineBytes;
    constexpr std::size_t kLapLines = kRingLapBytes / kRingLineBytes;
    struct Case {
        std::size_t line_index;
        std::size_t length;
    };
    // One line, several lines, the last line of a lap (a pad follows at once), the last line of the
    // ring, and across the end with a pad before it.
    for (const Case& at : {Case{3, 24},
                           Case{5, 300},
                           Case{kLapLines - 1, 40},
                           Case{kLines - 1, 56},
                           Case{kLines - 2, 700}}) {
        SharedRing ring;
        ring.make_stale(at.line_index);
        const Walk walk = walk_through_send(ring, std::string(at.length, 'm'));
        EXPECT_EQ(walk.bad_count, 0) << "line " << at.line_index << ", " << at.length << " bytes";
        EXPECT_GT(walk.visible_after, 0) << "after " << walk.step_count << " instructions";
    }
}

enum class Step { kClaimed, kHalfWritten, kWritten, kCommitted, kRung };

[[noreturn]] void send_and_die(RingProducer& producer, std::string_view text, Step last, int fd) {
    const RingClaim claim = producer.try_claim(text.size());
    if (last >= Step::kHalfWritten) {
        std::memcpy(claim.data, text.data(), text.size() / 2);
    }
    if (last >= Step::kWritten) {
        std::memcpy(claim.data, text.data(), text.size());
    }
    if (last >= Step::kCommitted) {
        producer.commit(text.size());
    }
    if (last >= Step::kRung && producer.needs_wakeup()) {
        ring_doorbell(fd);
    }
    ::raise(SIGKILL);
    ::_exit(1);
}

TEST(RingKill, HangUpWakesTheConsumerWhateverTheStep) {
    const std::string text(200, 'k');
    for (const Step last :
         {Step::kClaimed, Step::kHalfWritten, Step::kWritten, Step::kCommitted, Step::kRung}) {
        SharedRing ring;
        ring.make_stale(7);
        int fds[2] = {-1, -1};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        const UniqueFd server_fd(fds[0]);
        UniqueFd client_fd(fds[1]);
        ASSERT_TRUE(ring.server.consumer.prepare_wait());
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(server_fd.get());
            send_and_die(ring.client.producer, text, last, client_fd.get());
        }
        client_fd.reset();
        // The sleeper wakes by the bell or by the end of the stream, and then hears of the death.
        LinkState link = LinkState::kOpen;
        while (link == LinkState::kOpen) {
            pollfd waiting{server_fd.get(), POLLIN, 0};
            ASSERT_EQ(::poll(&waiting, 1, 20'000), 1);
            link = drain_doorbells(server_fd.get());
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        EXPECT_EQ(visible(ring.server.consumer, text), last >= Step::kCommitted ? 1 : 0);
    }
}

}  // namespace
}  // namespace tern::transport
