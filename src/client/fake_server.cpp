#include "client/fake_server.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <tern/base/check.hpp>

#include "client/wire_writer.hpp"
#include "resp/request_parser.hpp"
#include "resp/writer.hpp"
#include "transport/endpoint.hpp"
#include "transport/magic.hpp"
#include "transport/ring/doorbell.hpp"
#include "transport/ring/handshake.hpp"
#include "transport/ring/message.hpp"

namespace tern::test {
namespace {

constexpr int kPollMs = 5;

bool is_readable(int fd) {
    pollfd watched{fd, POLLIN, 0};
    return ::poll(&watched, 1, kPollMs) > 0;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        pollfd watched{fd, POLLOUT, 0};
        if (errno != EAGAIN || ::poll(&watched, 1, 10'000) <= 0) {
            return false;
        }
    }
    return true;
}

/// Reads exactly `length_bytes`, or fails.
bool receive_exactly(int fd, std::string& into, std::size_t length_bytes) {
    into.resize(length_bytes);
    std::size_t got_bytes = 0;
    while (got_bytes < length_bytes) {
        pollfd watched{fd, POLLIN, 0};
        if (::poll(&watched, 1, 10'000) <= 0) {
            return false;
        }
        const ssize_t got = ::recv(fd, into.data() + got_bytes, length_bytes - got_bytes, 0);
        if (got <= 0) {
            return false;
        }
        got_bytes += static_cast<std::size_t>(got);
    }
    return true;
}

/// The words of a request that the fake server knows.
FakeServer::Request decode_wire(std::string_view message) {
    FakeServer::Request request;
    request.is_sbe = true;
    request.message = message;
    TERN_CHECK(message.size() >= 16);
    const std::size_t block_bytes = load<std::uint16_t>(message.data());
    request.template_id = load<std::uint16_t>(message.data() + 2);
    request.correlation_id = load<std::uint64_t>(message.data() + 8);
    std::string_view rest = message.substr(8 + block_bytes);
    const auto take_data = [&] {
        const auto length = load<std::uint32_t>(rest.data());
        request.words.emplace_back(rest.substr(4, length));
        rest.remove_prefix(4 + length);
    };
    switch (request.template_id) {
        case wire_template::kLogon:
            request.words = {"LOGON"};
            return request;
        case wire_template::kPing:
            request.words = {"PING"};
            return request;
        case wire_template::kGet:
            request.words = {"GET"};
            take_data();
            return request;
        case wire_template::kSet:
            request.words = {"SET"};
            take_data();
            take_data();
            return request;
        case wire_template::kEcho:
            request.words = {"ECHO"};
            take_data();
            return request;
        case wire_template::kCommand: {
            const auto count = load<std::uint32_t>(rest.data() + 2);
            rest.remove_prefix(6);
            for (std::uint32_t i = 0; i < count; ++i) {
                take_data();
            }
            return request;
        }
        default:
            return request;
    }
}

}  // namespace

struct FakeServer::Link {
    int fd = -1;
    bool is_sbe = false;
    bool is_ring = false;
    transport::RingMapping mapping;
    transport::RingEnd end;
    resp::RequestParser parser;
    BufferSink in;
    BufferSink out;
    bool is_over = false;
};

FakeServer::FakeServer(std::string endpoint, Hook hook) : hook_(std::move(hook)) {
    auto parsed = transport::parse_endpoint(endpoint);
    TERN_CHECK(parsed.ok());
    auto opened = transport::Listener::open(*parsed);
    TERN_CHECK(opened.ok());
    listener_ = std::make_unique<transport::Listener>(std::move(*opened));
    endpoint_ = transport::to_string(listener_->endpoint());
    thread_ = std::thread([this] { run(); });
}

FakeServer::~FakeServer() {
    is_stopping_.store(true, std::memory_order_relaxed);
    thread_.join();
}

void FakeServer::run() {
    while (!is_stopping()) {
        if (!is_readable(listener_->fd())) {
            continue;
        }
        transport::Accepted accepted =
            transport::accept_from(listener_->fd(), listener_->endpoint().kind);
        if (accepted.status == transport::IoStatus::kDone) {
            connection_count_.fetch_add(1, std::memory_order_relaxed);
            serve(std::move(accepted.fd));
        }
    }
}

void FakeServer::serve(UniqueFd fd) {
    Link link;
    link.fd = fd.get();
    std::string head;
    // RESP clients say HELLO or more, so eight bytes always come.
    if (!receive_exactly(link.fd, head, transport::kMagicBytes)) {
        return;
    }
    const transport::Sniffed sniffed = transport::sniff(head);
    link.is_sbe = sniffed == transport::Sniffed::kSbe;
    if (sniffed != transport::Sniffed::kRing) {
        if (!link.is_sbe) {
            link.in.append(head);
        }
        serve_socket(link);
        return;
    }
    std::string rest;
    if (!receive_exactly(link.fd, rest, transport::kRingRequestBytes - head.size())) {
        return;
    }
    transport::RingRequestBytes request{};
    std::memcpy(request.data(), head.data(), head.size());
    std::memcpy(request.data() + head.size(), rest.data(), rest.size());
    transport::RingGate gate;
    transport::RingLimits limits;
    limits.server_policy = transport::WaitPolicy::kBlock;
    auto outcome = gate.answer(request, limits, 1000 + connection_count());
    if (!transport::send_ring_answer(link.fd, outcome) || !outcome.mapping) {
        return;
    }
    link.is_ring = true;
    link.mapping = std::move(*outcome.mapping);
    link.end = link.mapping.end(transport::RingSide::kServer);
    link.is_sbe = link.mapping.spec().protocol == transport::RingProtocol::kSbe;
    serve_ring(link);
}

void FakeServer::serve_socket(Link& link) {
    while (!is_stopping() && !link.is_over) {
        if (!take(link)) {
            return;
        }
        if (link.is_over || !is_readable(link.fd)) {
            continue;
        }
        constexpr std::size_t kChunkBytes = 64 * 1024;
        char* into = link.in.reserve(kChunkBytes);
        const ssize_t got = ::recv(link.fd, into, kChunkBytes, 0);
        if (got <= 0) {
            return;
        }
        link.in.advance(static_cast<std::size_t>(got));
    }
}

void FakeServer::serve_ring(Link& link) {
    transport::MessageReader reader;
    while (!is_stopping() && !link.is_over) {
        const transport::RingRecord record = link.end.consumer.peek();
        if (!record) {
            if (record.status == transport::PeekStatus::kCorrupt) {
                return;
            }
            const bool sleeps = link.end.consumer.prepare_wait();
            const bool has_bell = sleeps && is_readable(link.fd);
            link.end.consumer.cancel_wait();
            if (has_bell && transport::drain_doorbells(link.fd) == transport::LinkState::kHungUp) {
                return;
            }
            continue;
        }
        if (!link.is_sbe) {
            link.in.append(as_text(record.payload()));
            link.end.consumer.consume();
        } else {
            const auto outcome = reader.add(record);
            const std::string message(outcome == transport::MessageReader::Outcome::kMessage
                                          ? as_text(reader.message())
                                          : std::string_view());
            link.end.consumer.consume();
            if (outcome == transport::MessageReader::Outcome::kMessage &&
                !answer(link, decode_wire(message))) {
                return;
            }
        }
        if (link.end.consumer.take_space_wakeup()) {
            static_cast<void>(transport::ring_doorbell(link.fd));
        }
        if (!link.is_sbe && !take(link)) {
            return;
        }
    }
}

/// Answers the complete requests in the input.
bool FakeServer::take(Link& link) {
    constexpr std::size_t kFramePrefixBytes = 4;
    std::size_t done_bytes = 0;
    for (bool goes_on = true; goes_on && !link.is_over;) {
        const std::string_view unread = link.in.view().substr(done_bytes);
        goes_on = false;
        if (link.is_sbe) {
            if (unread.size() >= kFramePrefixBytes &&
                unread.size() - kFramePrefixBytes >= load<std::uint32_t>(unread.data())) {
                const std::size_t length = load<std::uint32_t>(unread.data());
                done_bytes += kFramePrefixBytes + length;
                goes_on = true;
                if (!answer(link, decode_wire(unread.substr(kFramePrefixBytes, length)))) {
                    return false;
                }
            }
        } else if (!unread.empty() && link.parser.parse(unread) == resp::RequestOutcome::kCommand) {
            Request request;
            for (const std::string_view word : link.parser.argv()) {
                request.words.emplace_back(word);
            }
            done_bytes += link.parser.consumed_bytes();
            goes_on = true;
            if (!answer(link, request)) {
                return false;
            }
        }
    }
    if (done_bytes != 0) {
        link.in.drop_front(done_bytes);
    }
    return true;
}

bool FakeServer::answer(Link& link, const Request& request) {
    Action action;
    if (hook_) {
        action = hook_(request);
    }
    link.out.clear();
    if (action.is_handled) {
        link.out.append(action.bytes + "\n");  // never nothing into a sink without memory
        link.out.truncate(action.bytes.size());
    } else if (request.is_sbe) {
        answer_wire(request, link.out);
    } else {
        answer_text(request, link.out);
    }
    link.is_over = action.hangs_up;
    if (action.record_kind != 0) {
        TERN_CHECK(link.end.producer.try_claim(1).status == transport::ClaimStatus::kClaimed);
        link.end.producer.commit(1, transport::kRecordWhole, action.record_kind);
        return !link.end.producer.needs_wakeup() ||
               transport::ring_doorbell(link.fd) == transport::LinkState::kOpen;
    }
    if (link.out.size() == 0) {
        return true;
    }
    if (link.is_ring) {
        return send_over_ring(link, link.out.view());
    }
    if (link.is_sbe) {
        std::string prefix(4, '\0');
        store_value(prefix.data(), static_cast<std::uint32_t>(link.out.size()));
        return send_all(link.fd, prefix) && send_all(link.fd, link.out.view());
    }
    return send_all(link.fd, link.out.view());
}

bool FakeServer::send_over_ring(Link& link, std::string_view bytes) {
    transport::MessageWriter writer(as_bytes(bytes));
    while (!is_stopping()) {
        const transport::ClaimStatus status = writer.pump(link.end.producer);
        if (link.end.producer.needs_wakeup()) {
            static_cast<void>(transport::ring_doorbell(link.fd));
        }
        if (status == transport::ClaimStatus::kClaimed) {
            return true;
        }
        if (status != transport::ClaimStatus::kBackPressured) {
            return false;
        }
        const std::size_t wanted_bytes = writer.next_claim_bytes(link.end.producer);
        if (link.end.producer.prepare_wait_for_space(wanted_bytes) && is_readable(link.fd) &&
            transport::drain_doorbells(link.fd) == transport::LinkState::kHungUp) {
            return false;
        }
        link.end.producer.cancel_wait();
    }
    return false;
}

void FakeServer::answer_text(const Request& request, BufferSink& out) {
    const std::string& name = request.words[0];
    if (name == "PING") {
        resp::write_simple(out, "PONG");
    } else if (name == "ECHO") {
        resp::write_bulk(out, request.words[1]);
    } else if (name == "GET") {
        const auto found = values_.find(request.words[1]);
        if (found == values_.end()) {
            resp::write_null(out, 2);
        } else {
            resp::write_bulk(out, found->second);
        }
    } else if (name == "SET") {
        values_[request.words[1]] = request.words[2];
        resp::write_simple(out, "OK");
    } else if (name == "HELLO" || name == "AUTH" || name == "SELECT" || name == "CLIENT") {
        resp::write_simple(out, "OK");
    } else {
        resp::write_error(out, "ERR unknown command '" + name + "'");
    }
}

void FakeServer::answer_wire(const Request& request, BufferSink& out) {
    using namespace wire_template;
    const std::uint64_t id = request.correlation_id;
    const std::string name = request.words.empty() ? "" : request.words[0];
    if (name == "LOGON") {
        std::string reply(8 + 26 + 4 + 4, '\0');
        WireWriter writer(reply.data());
        writer.begin(kLogonReply, 26, id)
            .put(std::uint16_t{1})
            .put(std::uint64_t{77})
            .put(std::uint64_t{1})
            .data("fake");
        out.append(reply);
    } else if (name == "PING") {
        out.append(wire_text_reply(kStatusReply, id, "PONG"));
    } else if (name == "ECHO") {
        out.append(wire_text_reply(kBulkReply, id, request.words[1]));
    } else if (name == "GET") {
        const auto found = values_.find(request.words[1]);
        if (found == values_.end()) {
            std::string reply(16, '\0');
            WireWriter(reply.data()).begin(kNullReply, 8, id);
            out.append(reply);
        } else {
            out.append(wire_text_reply(kBulkReply, id, found->second));
        }
    } else if (name == "SET") {
        values_[request.words[1]] = request.words[2];
        out.append(wire_text_reply(kStatusReply, id, "OK"));
    } else {
        out.append(wire_text_reply(kErrorReply, id, "ERR unknown command '" + name + "'"));
    }
}

std::string wire_text_reply(std::uint16_t template_id,
                            std::uint64_t correlation_id,
                            std::string_view text) {
    std::string reply(8 + 8 + 4 + text.size(), '\0');
    WireWriter(reply.data()).begin(template_id, 8, correlation_id).data(text);
    return reply;
}

std::string wire_integer_reply(std::uint64_t correlation_id, std::int64_t value) {
    std::string reply(8 + 8 + 8, '\0');
    WireWriter(reply.data()).begin(wire_template::kIntegerReply, 16, correlation_id).put(value);
    return reply;
}

std::string wire_aggregate_reply(std::uint64_t correlation_id, const std::vector<WireNode>& nodes) {
    std::size_t bytes = 8 + 8 + 6;
    for (const WireNode& node : nodes) {
        bytes += 9 + 4 + node.text.size();
    }
    std::string reply(bytes, '\0');
    WireWriter writer(reply.data());
    writer.begin(wire_template::kAggregateReply, 8, correlation_id).group(9, nodes.size());
    for (const WireNode& node : nodes) {
        writer.put(static_cast<std::uint8_t>(node.kind)).put(node.value).data(node.text);
    }
    return reply;
}

}  // namespace tern::test
