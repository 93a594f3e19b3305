#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/byte_sink.hpp"
#include "base/unique_fd.hpp"
#include "transport/ring/mapping.hpp"
#include "transport/socket.hpp"

namespace tern::test {

/// A server small enough to misbehave on purpose: PING, ECHO, GET, SET, HELLO, AUTH, SELECT in RESP
/// and SBE, over tcp, unix and ring, one client after another. Never spins.
///
/// Threads: one of its own; `on_request` runs there. Set the hooks before a client connects.
class FakeServer {
public:
    /// A request in either language.
    struct Request {
        bool is_sbe = false;
        std::uint16_t template_id = 0;
        std::uint64_t correlation_id = 0;
        std::vector<std::string> words;
        std::string message;  ///< SBE: all of it
    };
    /// What to do about a request, before the ordinary answer.
    struct Action {
        bool is_handled = false;  ///< `bytes` is the reply, whatever it is; else the ordinary one
        std::string bytes = {};
        bool hangs_up = false;         ///< after the reply
        std::uint8_t record_kind = 0;  ///< ring: answer with a record of this kind instead
    };
    using Hook = std::function<Action(const Request&)>;

    /// `endpoint`: where to listen; a ring's is "ring:/path", tcp may have port 0.
    explicit FakeServer(std::string endpoint, Hook hook = {});
    ~FakeServer();
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    /// As a client spells it.
    [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
    [[nodiscard]] std::size_t connection_count() const noexcept {
        return connection_count_.load(std::memory_order_relaxed);
    }

private:
    struct Link;

    void run();
    void serve(UniqueFd fd);
    void serve_socket(Link& link);
    void serve_ring(Link& link);
    bool take(Link& link);
    bool answer(Link& link, const Request& request);
    void answer_text(const Request& request, BufferSink& out);
    void answer_wire(const Request& request, BufferSink& out);
    bool send_over_ring(Link& link, std::string_view bytes);
    [[nodiscard]] bool is_stopping() const noexcept {
        return is_stopping_.load(std::memory_order_relaxed);
    }

    Hook hook_;
    std::unique_ptr<transport::Listener> listener_;
    std::string endpoint_;
    std::map<std::string, std::string> values_;
    // Written by the destructor or the thread, read by the other; nothing else is ordered by them.
    std::atomic<bool> is_stopping_{false};
    std::atomic<std::size_t> connection_count_{0};
    std::thread thread_;
};

/// The bytes of SBE replies.
[[nodiscard]] std::string wire_text_reply(std::uint16_t template_id,
                                          std::uint64_t correlation_id,
                                          std::string_view text);
[[nodiscard]] std::string wire_integer_reply(std::uint64_t correlation_id, std::int64_t value);

/// One node of an AggregateReply.
struct WireNode {
    int kind = 0;
    std::int64_t value = 0;
    std::string text;
};
[[nodiscard]] std::string wire_aggregate_reply(std::uint64_t correlation_id,
                                               const std::vector<WireNode>& nodes);

}  // namespace tern::test
