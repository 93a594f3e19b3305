#include "transport/ring/handshake.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "transport/magic.hpp"

namespace tern::transport {
namespace {

// Offsets in a request.
constexpr std::size_t kRequestVersion = 8;
constexpr std::size_t kRequestProtocol = 12;
constexpr std::size_t kRequestPolicy = 13;
constexpr std::size_t kRequestCapacity = 16;
constexpr std::size_t kRequestReplyCapacity = 20;

// Offsets in an answer.
constexpr std::size_t kAnswerVersion = 8;
constexpr std::size_t kAnswerStatus = 12;
constexpr std::size_t kAnswerInstance = 16;
constexpr std::size_t kAnswerTotal = 24;
constexpr std::size_t kAnswerCapacity = 32;
constexpr std::size_t kAnswerReplyCapacity = 36;
constexpr std::size_t kAnswerPolicy = 40;
constexpr std::size_t kAnswerReasonLength = 41;
constexpr std::size_t kAnswerReason = 48;
static_assert(kAnswerReason + kRingReasonBytesMax == kRingAnswerBytes);

bool is_known(RingProtocol protocol) {
    return protocol == RingProtocol::kResp || protocol == RingProtocol::kSbe;
}
bool is_known(WaitPolicy policy) {
    return policy <= WaitPolicy::kBlock;
}

/// A wanted capacity within the server's bounds; 0 for one that means nothing.
std::uint64_t bounded_capacity(std::uint32_t wanted_bytes, const RingLimits& limits) {
    if (wanted_bytes == 0) {
        return limits.capacity_bytes_default;
    }
    if (!is_valid_ring_capacity(wanted_bytes)) {
        return 0;
    }
    return std::clamp<std::uint64_t>(
        wanted_bytes, limits.capacity_bytes_min, limits.capacity_bytes_max);
}

Result<void> wait_for(int fd, short events, int timeout_ms) {
    pollfd waiting{fd, events, 0};
    int ready = 0;
    do {
        ready = ::poll(&waiting, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) {
        return os_error(errno, "ring handshake: poll");
    }
    if (ready == 0) {
        return error(Errc::kTimedOut, "ring handshake: no answer within {} ms", timeout_ms);
    }
    return {};
}

Result<void> send_all(int fd, Bytes bytes, int timeout_ms) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            if (auto ready = wait_for(fd, POLLOUT, timeout_ms); !ready) {
                return ready;
            }
        } else if (errno != EINTR) {
            return os_error(errno, "ring handshake: send the request");
        }
    }
    return {};
}

union ControlBuffer {
    cmsghdr header;  // for its alignment
    char bytes[CMSG_SPACE(sizeof(int))];
};

/// The descriptor in a received message, if there is one.
UniqueFd take_descriptor(msghdr& message) {
    UniqueFd taken;
    for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
         control = CMSG_NXTHDR(&message, control)) {
        if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
            control->cmsg_len == CMSG_LEN(sizeof(int))) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(control), sizeof fd);
            taken.reset(fd);
        }
    }
    return taken;
}

/// Reads exactly the answer, so that doorbells behind it stay in the socket.
Result<UniqueFd> receive_answer(int socket_fd, RingAnswerBytes& answer, int timeout_ms) {
    UniqueFd memory_fd;
    std::size_t received_bytes = 0;
    while (received_bytes < answer.size()) {
        if (auto ready = wait_for(socket_fd, POLLIN, timeout_ms); !ready) {
            return std::move(ready).error();
        }
        iovec part{answer.data() + received_bytes, answer.size() - received_bytes};
        ControlBuffer control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        const ssize_t got = ::recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got < 0) {
            return os_error(errno, "ring handshake: receive the answer");
        }
        if (got == 0) {
            return error(Errc::kUnavailable,
                         "ring handshake: the server hung up after {} of {} bytes of its answer",
                         received_bytes,
                         answer.size());
        }
        if (UniqueFd fd = take_descriptor(message); fd.is_open()) {
            memory_fd = std::move(fd);
        }
        received_bytes += static_cast<std::size_t>(got);
    }
    return memory_fd;
}

}  // namespace

RingRequestBytes encode(const RingRequest& request) noexcept {
    RingRequestBytes bytes{};
    std::memcpy(bytes.data(), kRingMagic.data(), kMagicBytes);
    store_value(&bytes[kRequestVersion], request.version);
    store_value(&bytes[kRequestProtocol], request.protocol);
    store_value(&bytes[kRequestPolicy], request.client_policy);
    store_value(&bytes[kRequestCapacity], request.request_capacity_bytes);
    store_value(&bytes[kRequestReplyCapacity], request.reply_capacity_bytes);
    return bytes;
}

RingRequest decode_ring_request(const RingRequestBytes& bytes) noexcept {
    return RingRequest{load<std::uint32_t>(&bytes[kRequestVersion]),
                       load<RingProtocol>(&bytes[kRequestProtocol]),
                       load<WaitPolicy>(&bytes[kRequestPolicy]),
                       load<std::uint32_t>(&bytes[kRequestCapacity]),
                       load<std::uint32_t>(&bytes[kRequestReplyCapacity])};
}

RingAnswerBytes encode(const RingAnswer& answer) noexcept {
    RingAnswerBytes bytes{};
    std::memcpy(bytes.data(), kRingMagic.data(), kMagicBytes);
    store_value(&bytes[kAnswerVersion], answer.version);
    store_value(&bytes[kAnswerStatus], answer.status);
    if (answer.status == RingStatus::kGranted) {
        const RingGeometry& geometry = answer.spec.geometry;
        store_value(&bytes[kAnswerInstance], answer.spec.instance_id);
        store_value(&bytes[kAnswerTotal], geometry.total_bytes());
        store_value(&bytes[kAnswerCapacity],
                    static_cast<std::uint32_t>(geometry.request_capacity_bytes));
        store_value(&bytes[kAnswerReplyCapacity],
                    static_cast<std::uint32_t>(geometry.reply_capacity_bytes));
    }
    store_value(&bytes[kAnswerPolicy], answer.spec.server_policy);
    const std::size_t reason_bytes = std::min(answer.reason.size(), kRingReasonBytesMax);
    store_value(&bytes[kAnswerReasonLength], static_cast<std::uint8_t>(reason_bytes));
    std::memcpy(&bytes[kAnswerReason], answer.reason.data(), reason_bytes);
    return bytes;
}

Result<RingSpec> decode_ring_answer(const RingAnswerBytes& bytes, const RingRequest& request) {
    if (as_text(bytes).substr(0, kMagicBytes) != kRingMagic) {
        return error(Errc::kProtocol,
                     "ring handshake: the answer does not begin with {}; is this a tern server?",
                     kRingMagic);
    }
    const auto status = load<RingStatus>(&bytes[kAnswerStatus]);
    const auto version = load<std::uint32_t>(&bytes[kAnswerVersion]);
    if (status != RingStatus::kGranted) {
        const std::size_t length = std::min<std::size_t>(
            load<std::uint8_t>(&bytes[kAnswerReasonLength]), kRingReasonBytesMax);
        return error(Errc::kServer,
                     "ring refused by the server (status {}, its version {}): {}",
                     static_cast<std::uint32_t>(status),
                     version,
                     as_text(bytes).substr(kAnswerReason, length));
    }
    RingSpec spec;
    spec.geometry.request_capacity_bytes = load<std::uint32_t>(&bytes[kAnswerCapacity]);
    spec.geometry.reply_capacity_bytes = load<std::uint32_t>(&bytes[kAnswerReplyCapacity]);
    spec.instance_id = load<std::uint64_t>(&bytes[kAnswerInstance]);
    spec.protocol = request.protocol;
    spec.client_policy = request.client_policy;
    spec.server_policy = load<WaitPolicy>(&bytes[kAnswerPolicy]);
    const auto total_bytes = load<std::uint64_t>(&bytes[kAnswerTotal]);
    if (version != request.version || !is_known(spec.server_policy) || spec.instance_id == 0 ||
        !is_valid_ring_capacity(spec.geometry.request_capacity_bytes) ||
        !is_valid_ring_capacity(spec.geometry.reply_capacity_bytes) ||
        total_bytes != spec.geometry.total_bytes()) {
        return error(Errc::kProtocol,
                     "ring handshake: impossible answer (version {}, {} + {} bytes of {}, "
                     "policy {})",
                     version,
                     spec.geometry.request_capacity_bytes,
                     spec.geometry.reply_capacity_bytes,
                     total_bytes,
                     static_cast<unsigned>(spec.server_policy));
    }
    return spec;
}

RingGate::Outcome RingGate::refuse(RingStatus status, std::string reason) {
    return Outcome{encode(RingAnswer{kRingVersion, status, {}, std::move(reason)}), std::nullopt};
}

RingGate::Outcome RingGate::has_ring() {
    return refuse(RingStatus::kAlreadyGranted,
                  "this socket has a ring; open another socket for another one");
}

RingGate::Outcome RingGate::answer(const RingRequestBytes& bytes,
                                   const RingLimits& limits,
                                   std::uint64_t instance_id) {
    if (has_granted_) {
        return has_ring();
    }
    const RingRequest request = decode_ring_request(bytes);
    if (request.version != kRingVersion) {
        return refuse(
            RingStatus::kUnsupportedVersion,
            fmt::format("ring version {} asked, {} spoken", request.version, kRingVersion));
    }
    RingSpec spec;
    spec.geometry.request_capacity_bytes = bounded_capacity(request.request_capacity_bytes, limits);
    spec.geometry.reply_capacity_bytes = bounded_capacity(request.reply_capacity_bytes, limits);
    if (spec.geometry.request_capacity_bytes == 0 || spec.geometry.reply_capacity_bytes == 0) {
        return refuse(RingStatus::kBadRequest,
                      "a capacity must be 0 or a power of two from 4096 to 67108864");
    }
    if (!is_known(request.protocol) || !is_known(request.client_policy)) {
        return refuse(RingStatus::kBadRequest, "unknown protocol (1, 2) or policy (0, 1, 2)");
    }
    spec.instance_id = instance_id;
    spec.protocol = request.protocol;
    spec.client_policy = request.client_policy;
    spec.server_policy = limits.server_policy;
    Result<RingMapping> mapping = RingMapping::create(spec);
    if (!mapping) {
        return refuse(RingStatus::kOutOfMemory, mapping.error().message);
    }
    has_granted_ = true;
    return Outcome{encode(RingAnswer{kRingVersion, RingStatus::kGranted, spec, {}}),
                   std::move(*mapping)};
}

Result<void> send_ring_answer(int socket_fd, const RingGate::Outcome& outcome) {
    RingAnswerBytes bytes = outcome.answer;
    iovec part{bytes.data(), bytes.size()};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (outcome.mapping) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        cmsghdr* rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        const int fd = outcome.mapping->fd();
        std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    if (sent != static_cast<ssize_t>(bytes.size())) {
        return sent < 0 ? os_error(errno, "ring handshake: send the answer")
                        : error(Errc::kUnavailable,
                                "ring handshake: the socket took {} of {} bytes of the answer",
                                sent,
                                bytes.size());
    }
    return {};
}

Result<RingMapping> request_ring(int socket_fd, const RingRequest& request, int timeout_ms) {
    if (auto sent = send_all(socket_fd, encode(request), timeout_ms); !sent) {
        return std::move(sent).error();
    }
    RingAnswerBytes answer{};
    Result<UniqueFd> memory_fd = receive_answer(socket_fd, answer, timeout_ms);
    if (!memory_fd) {
        return std::move(memory_fd).error();
    }
    Result<RingSpec> spec = decode_ring_answer(answer, request);
    if (!spec) {
        return std::move(spec).error();
    }
    if (!memory_fd->is_open()) {
        return error(Errc::kProtocol, "ring handshake: granted, but no memory came with it");
    }
    return RingMapping::attach(std::move(*memory_fd), *spec);
}

}  // namespace tern::transport
