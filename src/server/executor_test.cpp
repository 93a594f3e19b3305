#include "server/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <set>
#include <tern/base/bytes.hpp>

#include "base/number_text.hpp"
#include "server/test_executor.hpp"
#include "server/wire_cases.hpp"
#include "server/wire_layout.hpp"

/// The two ways into the executor do the same: every SBE request beside its text.
namespace tern::server {
namespace {

using test::kCorrelationId;
using test::TestExecutor;
using test::WireCase;
using test::Words;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The nodes of a reply, depth first, one line each: what both languages have to say.
using Tree = std::vector<std::string>;

std::string double_node(double value) {
    char text[kDoubleTextBytes];
    return "double " + std::string(text, format_double(text, value));
}

/// RESP3 is depth first as it stands: one node a header.
Tree tree_of_resp3(std::string_view reply) {
    Tree tree;
    while (!reply.empty()) {
        const std::size_t end = reply.find("\r\n");
        EXPECT_NE(end, std::string_view::npos);
        const char marker = reply[0];
        const std::string line(reply.substr(1, end - 1));
        reply.remove_prefix(end + 2);
        const auto number = [&] { return std::stoull(line); };
        switch (marker) {
            case '_':
                tree.emplace_back("null");
                break;
            case '+':
                tree.push_back("status " + line);
                break;
            case '-':
                tree.push_back("error " + line);
                break;
            case ':':
                tree.push_back("integer " + line);
                break;
            case '#':
                tree.push_back("boolean " + std::string(line == "t" ? "1" : "0"));
                break;
            case '*':
                tree.push_back("array " + line);
                break;
            case '~':
                tree.push_back("set " + line);
                break;
            case '%':
                tree.push_back("map " + line);
                break;
            case ',': {
                double value = 0;
                EXPECT_TRUE(parse_double(line, value)) << line;
                tree.push_back(double_node(value));
                break;
            }
            case '$':
                tree.push_back("bulk " + std::string(reply.substr(0, number())));
                reply.remove_prefix(number() + 2);
                break;
            default:
                ADD_FAILURE() << "marker " << marker;
                return tree;
        }
    }
    return tree;
}

std::string node_of(int kind, std::int64_t value, std::string_view text) {
    switch (kind) {
        case layout::kNodeNull:
            return "null";
        case layout::kNodeStatus:
            return "status " + std::string(text);
        case layout::kNodeError:
            return "error " + std::string(text);
        case layout::kNodeInteger:
            return "integer " + std::to_string(value);
        case layout::kNodeDouble:
            return double_node(std::bit_cast<double>(value));
        case layout::kNodeBulk:
            return "bulk " + std::string(text);
        case layout::kNodeBoolean:
            return "boolean " + std::to_string(value);
        case layout::kNodeArray:
            return "array " + std::to_string(value);
        case layout::kNodeSet:
            return "set " + std::to_string(value);
        case layout::kNodeMap:
            return "map " + std::to_string(value);
        default:
            return "kind " + std::to_string(kind);
    }
}

/// Reads a scalar reply with its generated view. False: it is another message.
template <typename View>
bool read_scalar(Bytes message, const std::function<std::string(const View&)>& show, Tree& tree) {
    if (load<std::uint16_t>(message.data() + 2) != View::kTemplateId) {
        return false;
    }
    const auto view = View::wrap(message);
    EXPECT_TRUE(view.ok());
    if (view) {
        EXPECT_EQ(view->correlation_id(), kCorrelationId);
        EXPECT_EQ(view->bytes_left(), 0U);
        tree.push_back(show(*view));
    }
    return true;
}

Tree tree_of_sbe(const std::string& reply) {
    Tree tree;
    const Bytes message = as_bytes(reply);
    if (message.size() < layout::kMessageHeaderBytes) {
        ADD_FAILURE() << "a reply of " << message.size() << " bytes";
        return tree;
    }
    using namespace wire;  // NOLINT: the names of the schema
    const auto text = [](Bytes bytes) { return std::string(as_text(bytes)); };
    const bool is_scalar =
        read_scalar<VerifiedNullReplyView>(
            message, [](const auto&) { return "null"; }, tree) ||
        read_scalar<VerifiedStatusReplyView>(
            message, [&](const auto& v) { return "status " + text(v.text()); }, tree) ||
        read_scalar<VerifiedErrorReplyView>(
            message, [&](const auto& v) { return "error " + text(v.text()); }, tree) ||
        read_scalar<VerifiedIntegerReplyView>(
            message, [](const auto& v) { return "integer " + std::to_string(v.value()); }, tree) ||
        read_scalar<VerifiedDoubleReplyView>(
            message, [](const auto& v) { return double_node(v.value()); }, tree) ||
        read_scalar<VerifiedBulkReplyView>(
            message, [&](const auto& v) { return "bulk " + text(v.value()); }, tree);
    if (is_scalar) {
        return tree;
    }
    const auto view = VerifiedAggregateReplyView::wrap(message);
    EXPECT_TRUE(view.ok());
    if (view) {
        EXPECT_EQ(view->correlation_id(), kCorrelationId);
        for (const auto node : view->nodes()) {
            tree.push_back(node_of(node.kind().raw(), node.value(), as_text(node.text())));
        }
    }
    return tree;
}

std::string shown(const Words& words) {
    std::string out;
    for (const std::string_view word : words) {
        out += std::string(word) + ' ';
    }
    return out;
}

/// A server with one session, which speaks SBE and is logged on, or speaks RESP3.
struct Side : TestExecutor {
    explicit Side(Protocol protocol) {
        session().protocol = protocol;
        session().logged_on = protocol == Protocol::kSbe;
    }
    std::string run_words(const Words& words) {
        BufferSink sink;
        last_outcome = executor().run_text(session(), words, sink);
        return std::string(sink.view());
    }
};

/// RESP answers each name of these with a message of its own, SBE all of them with one list.
bool is_subscription(const Words& words) {
    return words[0].find("SUBSCRIBE") != std::string_view::npos;
}

TEST(Executor, RequestOfItsOwnAnswersAsTheTextDoes) {
    Side text(Protocol::kResp3);
    Side wrapped(Protocol::kSbe);
    Side native(Protocol::kSbe);
    for (const WireCase& one : test::all_wire_cases()) {
        ASSERT_FALSE(one.message.empty()) << shown(one.text);
        const std::string from_text = text.run_words(one.text);
        const std::string from_native = native.run_wire(one.message);
        if (!is_subscription(one.text)) {
            EXPECT_EQ(tree_of_sbe(from_native), tree_of_resp3(from_text)) << shown(one.text);
        }
        EXPECT_EQ(wrapped.run_wire(test::command_message(one.text)), from_native)
            << shown(one.text);
        EXPECT_EQ(native.last_outcome, text.last_outcome) << shown(one.text);
        EXPECT_EQ(native.session().last_command, text.session().last_command) << shown(one.text);
    }
}

void collect_templates(const Command& command, std::set<unsigned>& ids) {
    if (command.spec->wire != nullptr) {
        ids.insert(command.spec->template_id);
    }
    for (const Command& sub : command.subcommands) {
        collect_templates(sub, ids);
    }
}

TEST(Executor, EveryRequestOfTheTableHasACase) {
    TestExecutor server;
    std::set<unsigned> wanted;
    for (const Command& command : server.server().registry().commands()) {
        collect_templates(command, wanted);
    }
    std::set<unsigned> present;
    for (const WireCase& one : test::all_wire_cases()) {
        present.insert(load<std::uint16_t>(as_bytes(one.message).data() + 2));
    }
    EXPECT_EQ(present, wanted);
    EXPECT_GT(wanted.size(), 90U);
}

TEST(Executor, RequestCutAnywhereIsMalformedAndChangesNothing) {
    for (const WireCase& one : test::all_wire_cases()) {
        Side server(Protocol::kSbe);
        for (std::size_t length = 0; length < one.message.size(); ++length) {
            // Of exactly that size, so that a sanitizer sees a read behind the end.
            const std::unique_ptr<char[]> cut(new char[length]);
            std::copy_n(one.message.begin(), length, cut.get());
            const std::string reply = server.run_wire({cut.get(), length});
            ASSERT_GE(reply.size(), layout::kMessageHeaderBytes) << shown(one.text) << length;
            EXPECT_EQ(load<std::uint16_t>(as_bytes(reply).data() + 2), layout::kTemplateError)
                << shown(one.text) << "cut to " << length;
        }
        EXPECT_EQ(server.server().keyspace().stats().dirty, 0U) << shown(one.text);
        EXPECT_FALSE(server.session().close_requested) << shown(one.text);
    }
}

TEST(Executor, UnknownTemplatesAndForeignSchemasAreErrors) {
    Side server(Protocol::kSbe);
    std::string message = test::logon_message("", "");
    message[2] = static_cast<char>(0xFF);
    message[3] = static_cast<char>(0xFF);
    EXPECT_THAT(tree_of_sbe(server.run_wire(message)),
                ElementsAre("error ERR unknown SBE template 65535"));
    std::string ping = test::string_wire_cases().front().message;
    EXPECT_THAT(tree_of_sbe(server.run_wire(ping)), ElementsAre("status PONG"));
    ping[4] = static_cast<char>(ping[4] + 1);  // the schema's id
    EXPECT_THAT(tree_of_sbe(server.run_wire(ping)), ElementsAre("error ERR malformed SBE request"));
    EXPECT_THAT(tree_of_sbe(server.run_wire(test::command_message({}))),
                ElementsAre("error ERR malformed SBE request"));
}

TEST(Executor, EnumerationWithoutANameIsMalformed) {
    Side server(Protocol::kSbe);
    for (const std::uint8_t kind : {std::uint8_t{5}, std::uint8_t{255}}) {
        const std::string message =
            test::encode<wire::SetRequestEncoder>([kind](wire::SetRequestEncoder& e) {
                using Kind = tern::sbe::EnumValue<wire::ExpiryKind>;
                return e.expiry_kind(Kind::from_raw(kind)).key("k").value("v");
            });
        EXPECT_THAT(tree_of_sbe(server.run_wire(message)),
                    ElementsAre("error ERR malformed SBE request"));
    }
    EXPECT_EQ(server.server().keyspace().stats().dirty, 0U);
}

/// A session that has connected and said nothing yet.
struct Stranger : TestExecutor {
    Stranger() { session().protocol = Protocol::kSbe; }
};

TEST(Executor, FirstMessageMustBeLogon) {
    for (const WireCase& one : test::all_wire_cases()) {
        Stranger server;
        const Tree reply = tree_of_sbe(server.run_wire(one.message));
        ASSERT_EQ(reply.size(), 1U);
        EXPECT_THAT(reply[0], StartsWith("error NOAUTH")) << shown(one.text);
        EXPECT_TRUE(server.session().close_requested);
        EXPECT_EQ(server.server().keyspace().stats().dirty, 0U);
    }
}

TEST(Executor, LogonAnswersWhoIsThereAndChoosesTheDatabase) {
    Stranger server;
    const std::string reply = server.run_wire(test::logon_message("", "", 5, 9));
    const auto view = wire::VerifiedLogonReplyView::wrap(as_bytes(reply));
    ASSERT_TRUE(view.ok());
    EXPECT_EQ(view->correlation_id(), kCorrelationId);
    EXPECT_EQ(view->schema_version(), layout::kSchemaVersion);  // the newest that both know
    EXPECT_EQ(view->instance_id(), server.server().instance_id());
    EXPECT_EQ(view->client_id(), server.session().id);
    EXPECT_THAT(std::string(as_text(view->server())), StartsWith("tern "));
    EXPECT_TRUE(server.session().logged_on);
    EXPECT_EQ(server.session().database_index, 5U);
    EXPECT_EQ(server.session().name, "tester");
    EXPECT_FALSE(server.session().close_requested);
}

struct Refusal {
    std::string message;
    std::string_view reply;
};

TEST(Executor, LogonRefusesWhatIsWrong) {
    const Refusal refusals[] = {
        {test::logon_message("", "secre"), "error WRONGPASS"},
        {test::logon_message("", ""), "error WRONGPASS"},
        {test::logon_message("default", "secret!"), "error WRONGPASS"},
        {test::logon_message("other", "secret"), "error WRONGPASS"},
        {test::logon_message("", "secret", 16), "error ERR DB index"},
        {test::logon_message("", "secret", 0, 0), "error ERR SBE schema version 0"},
    };
    for (const Refusal& refusal : refusals) {
        Stranger server;
        server.settings.config().requirepass = "secret";
        server.session().authenticated = false;
        const Tree reply = tree_of_sbe(server.run_wire(refusal.message));
        ASSERT_EQ(reply.size(), 1U);
        EXPECT_THAT(reply[0], StartsWith(std::string(refusal.reply)));
        EXPECT_TRUE(server.session().close_requested);
        EXPECT_FALSE(server.session().logged_on);
        EXPECT_FALSE(server.session().authenticated);
    }
}

TEST(Executor, LogonWithThePasswordOpensTheSession) {
    for (const std::string_view user : {"", "default"}) {
        Stranger server;
        server.settings.config().requirepass = "secret";
        server.session().authenticated = false;
        server.run_wire(test::logon_message(user, "secret"));
        EXPECT_TRUE(server.session().logged_on);
        EXPECT_THAT(tree_of_sbe(server.run_wire(test::command_message({"SET", "k", "v"}))),
                    ElementsAre("status OK"));
        // Once is enough.
        EXPECT_THAT(tree_of_sbe(server.run_wire(test::logon_message(user, "secret"))),
                    ElementsAre("error ERR the session is logged on"));
        EXPECT_TRUE(server.session().close_requested);
    }
}

TEST(Executor, LogonCutAnywhereIsRefused) {
    const std::string message = test::logon_message("default", "secret");
    for (std::size_t length = 0; length < message.size(); ++length) {
        Stranger server;
        const std::unique_ptr<char[]> cut(new char[length]);
        std::copy_n(message.begin(), length, cut.get());
        const std::string reply = server.run_wire({cut.get(), length});
        ASSERT_GE(reply.size(), layout::kMessageHeaderBytes);
        EXPECT_EQ(load<std::uint16_t>(as_bytes(reply).data() + 2), layout::kTemplateError);
        EXPECT_FALSE(server.session().logged_on) << length;
    }
}

TEST(Executor, BlockedRequestIsServedInItsOwnLanguage) {
    for (const WireCase& one : test::sorted_set_wire_cases()) {
        if (!one.text.front().starts_with("BZ") || one.text[1] == "s") {
            continue;
        }
        Side server(Protocol::kSbe);
        EXPECT_EQ(server.run_wire(one.message), "") << shown(one.text);
        EXPECT_EQ(server.last_outcome, Outcome::kBlocked) << shown(one.text);
        TestExecutor::Client other;
        server.connect(other);
        EXPECT_EQ(server.run(other, {"ZADD", "z", "1.5", "m"}), ":1\r\n");
        EXPECT_EQ(server.run(other, {"ZADD", "stored", "1.5", "m"}), ":1\r\n");
        EXPECT_FALSE(server.session().blocked) << shown(one.text);
        const Tree reply = tree_of_sbe(std::string(server.peer().late.view()));
        EXPECT_THAT(reply, testing::Contains("bulk m")) << shown(one.text);
        EXPECT_THAT(reply, testing::Contains("double 1.5")) << shown(one.text);
        server.disconnect(other);
    }
}

TEST(Executor, BlockedRequestTimesOutWithNull) {
    Side server(Protocol::kSbe);
    for (const WireCase& one : test::sorted_set_wire_cases()) {
        if (one.text.front() == "BZPOPMIN") {
            EXPECT_EQ(server.run_wire(one.message), "");
        }
    }
    ASSERT_EQ(server.last_outcome, Outcome::kBlocked);
    server.set_now(TestExecutor::kStartMs + 1499);
    server.server().blocked_clients().expire(TestExecutor::kStartMs + 1499);
    EXPECT_TRUE(server.session().blocked);
    server.set_now(TestExecutor::kStartMs + 1500);
    server.server().blocked_clients().expire(TestExecutor::kStartMs + 1500);
    EXPECT_FALSE(server.session().blocked);
    EXPECT_THAT(tree_of_sbe(std::string(server.peer().late.view())), ElementsAre("null"));
}

TEST(Executor, CountsCallsRefusalsAndErrors) {
    TestExecutor server;
    server.run({"GET", "none"});
    server.run({"GET"});
    server.run({"SET", "s", "text"});
    server.run({"INCR", "s"});
    server.run({"NOSUCH"});
    const Command* get = server.server().registry().find("get");
    EXPECT_EQ(get->stats.calls, 1U);
    EXPECT_EQ(get->stats.rejected_calls, 1U);
    EXPECT_EQ(server.server().registry().find("INCR")->stats.failed_calls, 1U);
    EXPECT_EQ(server.server().stats().error_replies, 3U);
    EXPECT_EQ(server.server().stats().errors_by_code.at("ERR"), 3U);
}

TEST(Executor, UnknownCommandIsQuotedUpToItsFirstNul) {
    TestExecutor server;
    EXPECT_EQ(server.run({"foo", "a b", std::string_view("x\0y", 3), "z"}),
              "-ERR unknown command 'foo', with args beginning with: 'a b' 'x' 'z' \r\n");
    const std::string long_word(300, 'w');
    EXPECT_EQ(server.run({long_word, long_word}),
              "-ERR unknown command '" + std::string(128, 'w') + "', with args beginning with: '" +
                  std::string(128, 'w') + "' \r\n");
    EXPECT_THAT(server.run({"CLIENT", "NOSUCH"}),
                HasSubstr("unknown subcommand 'NOSUCH'. Try CLIENT"));
}

}  // namespace
}  // namespace tern::server
