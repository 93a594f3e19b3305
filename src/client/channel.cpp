#include "client/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <tern/base/bytes.hpp>

#include "base/idle_strategy.hpp"
#include "transport/endpoint.hpp"
#include "transport/magic.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/handshake.hpp"
#include "transport/ring/message.hpp"
#include "transport/socket.hpp"

namespace tern {
namespace {

using transport::ClaimStatus;
using transport::LinkState;
using transport::PeekStatus;
using transport::RingRecord;

/// Buffers above this are given back after use, as the ring's own are.
constexpr std::size_t kKeptBufferBytes = transport::MessageReader::kKeptBufferBytes;
/// The least that one read of a socket asks for, and the most that it grows the buffer for.
constexpr std::size_t kReceiveBytesMin = std::size_t{16} << 10;
constexpr std::size_t kReceiveBytesMax = std::size_t{1} << 20;
/// The most that replies may take before the caller has looked at them: eight of the longest bulks.
constexpr std::size_t kInputBytesMax = std::size_t{4} << 30;
/// Empty polls of a ring between two looks at the clock: some tens of microseconds.
constexpr std::uint32_t kPollsPerClock = 16'384;
/// Clock looks between two looks at the socket that tell a dead server, which cost a system call,
/// and between two offers of the core to others: about every millisecond.
constexpr std::uint32_t kClocksPerLinkCheck = 32;
/// A poll of a socket costs a system call, as much as many polls of a ring.
constexpr std::uint32_t kRingPollsPerSocketPoll = 1'000;
constexpr std::uint32_t kSocketPollsPerClock = 256;
/// Sleeps are cut into pieces only so that poll(2)'s int is never too small.
constexpr int kSleepMsMax = 60'000;

constexpr std::size_t kFramePrefixBytes = 4;

transport::WaitPolicy policy_of(Wait wait) {
    switch (wait) {
        case Wait::kSpin:
            return transport::WaitPolicy::kSpin;
        case Wait::kBlock:
            return transport::WaitPolicy::kBlock;
        case Wait::kAdaptive:
            break;
    }
    return transport::WaitPolicy::kAdaptive;
}

/// Reads wait in the kernel when they are asked to, at most as long as a reply may take.
Result<void> make_blocking(int fd, std::int64_t timeout_ms) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0) {
        return os_error(errno, "fcntl of the connection");
    }
    const timeval limit{.tv_sec = static_cast<time_t>(timeout_ms / 1000),
                        .tv_usec = static_cast<suseconds_t>(timeout_ms % 1000 * 1000)};
    if (::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0) {
        return os_error(errno, "set the reply timeout of the connection");
    }
    return {};
}

}  // namespace

Result<void> Channel::open(const ClientOptions& options) {
    close();
    Result<transport::Endpoint> endpoint = transport::parse_endpoint(options.endpoint);
    if (!endpoint) {
        return std::move(endpoint).error();
    }
    if (endpoint->kind == transport::EndpointKind::kTls ||
        endpoint->kind == transport::EndpointKind::kAeron) {
        return error(Errc::kInvalidArgument,
                     "connect to {}: the client connects to tcp:, unix: and ring:",
                     options.endpoint);
    }
    Result<UniqueFd> fd = transport::connect_to(*endpoint, options.connect_timeout_ms);
    if (!fd) {
        return std::move(fd).error();
    }
    is_sbe_ = options.protocol == Protocol::kSbe;
    wait_ = options.wait;
    spin_poll_count_ = std::max(options.spin_poll_count, 1U);
    reply_timeout_ms_ = std::max<std::int64_t>(options.reply_timeout_ms, 0);
    is_ring_ = endpoint->kind == transport::EndpointKind::kRing;
    if (is_ring_) {
        transport::RingRequest request;
        request.protocol = is_sbe_ ? transport::RingProtocol::kSbe : transport::RingProtocol::kResp;
        request.client_policy = policy_of(wait_);
        request.request_capacity_bytes = options.ring_request_bytes;
        request.reply_capacity_bytes = options.ring_reply_bytes;
        Result<transport::RingMapping> mapping =
            transport::request_ring(fd->get(), request, options.connect_timeout_ms);
        if (!mapping) {
            return std::move(mapping).error().add_context(options.endpoint);
        }
        mapping_ = std::move(*mapping);
        mapping_.close_fd();
        end_ = mapping_.end(transport::RingSide::kClient);
        frame_prefix_bytes_ = 0;
        inline_poll_count_ = wait_ == Wait::kSpin       ? kPollsPerClock
                             : wait_ == Wait::kAdaptive ? spin_poll_count_
                                                        : 1;
    } else {
        if (auto set = make_blocking(fd->get(), reply_timeout_ms_); !set) {
            return std::move(set).error().add_context(options.endpoint);
        }
        frame_prefix_bytes_ = is_sbe_ ? kFramePrefixBytes : 0;
        if (is_sbe_) {
            out_.append(transport::kSbeMagic);
        }
    }
    fd_ = std::move(*fd);
    return {};
}

void Channel::close() noexcept {
    if (fd_.is_open() && is_ring_) {
        end_.close();
        static_cast<void>(transport::ring_doorbell(fd_.get()));
    }
    fd_.reset();
    end_ = {};
    mapping_ = {};
    is_claim_private_ = false;
    is_holding_record_ = false;
    is_inside_message_ = false;
    failure_ = ChannelStatus::kOk;
    in_offset_ = 0;
    frame_start_ = 0;
    out_.clear();
    in_.clear();
}

// ---- Sending ----

char* Channel::claim_slowly(std::size_t length_bytes, ClaimStatus status) {
    if (status == ClaimStatus::kTooLong) {
        is_claim_private_ = true;
        out_.clear();
        return out_.reserve(length_bytes);
    }
    if (status == ClaimStatus::kCorrupt) {
        fail(ChannelStatus::kCorrupt);
        return nullptr;
    }
    LazyDeadline deadline(reply_timeout_ms_);
    if (!wait_for_space(length_bytes, deadline)) {
        return nullptr;
    }
    return reinterpret_cast<char*>(end_.producer.try_claim(length_bytes).data);
}

bool Channel::commit_private(std::size_t length_bytes) {
    if (is_ring_) {
        is_claim_private_ = false;
        out_.advance(length_bytes);
        return send_fragments();
    }
    static_cast<void>(out_.reserve(length_bytes + frame_prefix_bytes_));
    if (frame_prefix_bytes_ != 0) {
        store_value(out_.begin() + out_.size(), static_cast<std::uint32_t>(length_bytes));
    }
    out_.advance(length_bytes + frame_prefix_bytes_);
    return true;
}

bool Channel::send_fragments() {
    transport::MessageWriter writer(as_bytes(out_.view()));
    LazyDeadline deadline(reply_timeout_ms_);
    for (;;) {
        const ClaimStatus status = writer.pump(end_.producer);
        if (status == ClaimStatus::kClaimed) {
            break;
        }
        if (status != ClaimStatus::kBackPressured) {
            return fail(ChannelStatus::kCorrupt);
        }
        if (!wait_for_space(writer.next_claim_bytes(end_.producer), deadline)) {
            return false;
        }
    }
    out_.clear();
    if (out_.capacity() > kKeptBufferBytes) {
        out_.release();
    }
    return true;
}

bool Channel::wait_for_space(std::size_t length_bytes, LazyDeadline& deadline) {
    release_record();
    if (!flush()) {
        return false;
    }
    for (std::uint32_t round = 1;; ++round) {
        const std::uint32_t poll_count = wait_ == Wait::kBlock ? 1 : kPollsPerClock;
        for (std::uint32_t i = 0; i < poll_count; ++i) {
            // The server may be waiting for us to read before it reads on.
            if (!drain_replies()) {
                return false;
            }
            const transport::RingClaim claim = end_.producer.try_claim(length_bytes);
            if (claim) {
                end_.producer.abort();
                return true;
            }
            if (claim.status != ClaimStatus::kBackPressured) {
                return fail(ChannelStatus::kCorrupt);
            }
            cpu_relax();
        }
        if (wait_ != Wait::kSpin) {
            if (end_.producer.prepare_wait_for_space(length_bytes) && !sleep_on_ring(deadline)) {
                end_.producer.cancel_wait();
                return false;
            }
            end_.producer.cancel_wait();
        } else if (deadline.is_over()) {
            return fail(ChannelStatus::kTimedOut);
        } else if (round % kClocksPerLinkCheck == 0 &&
                   transport::check_link(fd_.get()) == LinkState::kHungUp) {
            return fail(ChannelStatus::kClosed);
        }
    }
}

bool Channel::drain_replies() {
    for (;;) {
        const RingRecord record = end_.consumer.peek();
        if (!record) {
            return record.status != PeekStatus::kCorrupt || fail(ChannelStatus::kCorrupt);
        }
        if (!absorb(record)) {
            return false;
        }
    }
}

bool Channel::ring_doorbell() {
    return transport::ring_doorbell(fd_.get()) == LinkState::kOpen || fail(ChannelStatus::kClosed);
}

bool Channel::send_output() {
    LazyDeadline deadline(reply_timeout_ms_);
    std::size_t sent_bytes = 0;
    while (sent_bytes < out_.size()) {
        const ssize_t sent = ::send(fd_.get(),
                                    out_.begin() + sent_bytes,
                                    out_.size() - sent_bytes,
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            sent_bytes += static_cast<std::size_t>(sent);
        } else if (errno == EAGAIN) {
            // The server may be waiting for us to read before it reads on.
            if (!wait_socket(POLLIN | POLLOUT, deadline) ||
                receive(kReceiveBytesMin, false) == Received::kLost) {
                return false;
            }
        } else if (errno != EINTR) {
            return fail(ChannelStatus::kClosed);
        }
    }
    out_.clear();
    if (out_.capacity() > kKeptBufferBytes) [[unlikely]] {
        out_.release();
    }
    return true;
}

// ---- Receiving ----

bool Channel::absorb(const RingRecord& record) {
    const bool begins = (record.flags & transport::kRecordBegin) != 0;
    const bool ends = (record.flags & transport::kRecordEnd) != 0;
    if (begins == is_inside_message_) {
        return fail(ChannelStatus::kCorrupt);
    }
    if (is_sbe_ && begins) {
        frame_start_ = in_.size();
        in_.append(std::string_view("\0\0\0\0", kFramePrefixBytes));
    }
    if (record.length_bytes != 0) {
        in_.append(as_text(record.payload()));
    }
    is_inside_message_ = !ends;
    const std::size_t message_bytes = in_.size() - frame_start_ - kFramePrefixBytes;
    if (in_.size() - in_offset_ > kInputBytesMax ||
        (is_sbe_ && message_bytes > transport::kRingMessageBytesMax)) {
        return fail(ChannelStatus::kTooLarge);
    }
    if (is_sbe_ && ends) {
        store_value(in_.begin() + frame_start_, static_cast<std::uint32_t>(message_bytes));
    }
    consume_record();
    return true;
}

RingRecord Channel::wait_record_slowly() {
    LazyDeadline deadline(reply_timeout_ms_);
    for (std::uint32_t round = 1;; ++round) {
        const std::uint32_t poll_count = wait_ == Wait::kSpin ? kPollsPerClock : 1;
        for (std::uint32_t i = 0; i < poll_count; ++i) {
            const RingRecord record = end_.consumer.peek();
            if (record) {
                return record;
            }
        }
        if (end_.consumer.corruption() != transport::RingCorruption::kNone) {
            fail(ChannelStatus::kCorrupt);
            return {};
        }
        bool is_alive = true;
        if (wait_ != Wait::kSpin) {
            is_alive = sleep_on_ring(deadline);
        } else if (deadline.is_over()) {
            is_alive = fail(ChannelStatus::kTimedOut);
        } else if (round % kClocksPerLinkCheck == 0) {
            is_alive = transport::check_link(fd_.get()) == LinkState::kOpen ||
                       fail(ChannelStatus::kClosed);
            YieldIdle().idle();
        }
        if (!is_alive) {
            // What the server wrote before it went is a reply all the same; no record is the
            // failure.
            return end_.consumer.peek();
        }
    }
}

/// Sleeps until a doorbell. False: the server is gone, or time is over; `failure` says which.
bool Channel::sleep_on_ring(LazyDeadline& deadline) {
    if (!end_.consumer.prepare_wait()) {
        return true;
    }
    pollfd watched{fd_.get(), POLLIN | POLLRDHUP, 0};
    const int ready = ::poll(&watched, 1, deadline.poll_ms(kSleepMsMax));
    LinkState link = LinkState::kOpen;
    if (ready > 0) {
        link = transport::drain_doorbells(fd_.get());
    }
    end_.consumer.cancel_wait();
    if (link == LinkState::kHungUp) {
        return fail(ChannelStatus::kClosed);
    }
    return ready > 0 || !deadline.is_over() || fail(ChannelStatus::kTimedOut);
}

bool Channel::wait_input(std::size_t missing_bytes) {
    if (is_ring_) {
        const RingRecord record = wait_record();
        return record && absorb(record);
    }
    LazyDeadline deadline(reply_timeout_ms_);
    const bool may_block = wait_ == Wait::kBlock;
    const std::uint32_t poll_count = wait_ == Wait::kSpin
                                         ? kSocketPollsPerClock
                                         : 1 + spin_poll_count_ / kRingPollsPerSocketPoll;
    for (;;) {
        for (std::uint32_t i = 0; i < poll_count; ++i) {
            const Received received = receive(missing_bytes, may_block);
            if (received != Received::kNothing) {
                return received == Received::kSome;
            }
            if (may_block) {
                return fail(ChannelStatus::kTimedOut);  // SO_RCVTIMEO
            }
        }
        if (wait_ == Wait::kAdaptive) {
            if (!wait_socket(POLLIN, deadline)) {
                return false;
            }
        } else if (deadline.is_over()) {
            return fail(ChannelStatus::kTimedOut);
        }
    }
}

bool Channel::wait_socket(short events, LazyDeadline& deadline) {
    pollfd watched{fd_.get(), events, 0};
    for (;;) {
        const int ready = ::poll(&watched, 1, deadline.poll_ms(kSleepMsMax));
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return fail(ChannelStatus::kClosed);
        }
        if (deadline.is_over()) {
            return fail(ChannelStatus::kTimedOut);
        }
    }
}

Channel::Received Channel::receive(std::size_t wanted_bytes, bool may_block) {
    char* const into = in_.reserve(std::clamp(wanted_bytes, kReceiveBytesMin, kReceiveBytesMax));
    for (;;) {
        const ssize_t got = ::recv(fd_.get(), into, in_.room(), may_block ? 0 : MSG_DONTWAIT);
        if (got > 0) {
            in_.advance(static_cast<std::size_t>(got));
            if (in_.size() - in_offset_ > kInputBytesMax) {
                fail(ChannelStatus::kTooLarge);
                return Received::kLost;
            }
            return Received::kSome;
        }
        if (got < 0 && errno == EAGAIN) {
            return Received::kNothing;
        }
        if (got == 0 || errno != EINTR) {
            fail(ChannelStatus::kClosed);
            return Received::kLost;
        }
    }
}

void Channel::compact_input() noexcept {
    if (in_offset_ == in_.size()) {
        in_.clear();
        if (in_.capacity() > kKeptBufferBytes) [[unlikely]] {
            in_.release();
        }
    } else if (in_offset_ >= in_.size() / 2 && in_offset_ != 0) {
        in_.drop_front(in_offset_);  // moves fewer bytes than have been used
        frame_start_ = frame_start_ >= in_offset_ ? frame_start_ - in_offset_ : 0;
    } else {
        return;
    }
    in_offset_ = 0;
}

}  // namespace tern
