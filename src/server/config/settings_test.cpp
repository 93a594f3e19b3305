#include "server/config/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>

namespace tern::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<ConfigSource>> no_files(const std::string& pattern) {
    return error(Errc::kNotFound, "no file {}", pattern);
}

Result<void> load(Settings& settings, std::string text) {
    return settings.load({"redis.conf", std::move(text)}, no_files);
}

std::string change(Settings& settings, std::vector<Settings::Pair> pairs) {
    return settings.change(pairs, false);
}

TEST(Parameters, NamesAndAliasesAreUniqueAndDefaultsAreValid) {
    std::set<std::string_view> names;
    for (const Parameter& parameter : parameters()) {
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
        if (!parameter.alias.empty()) {
            EXPECT_TRUE(names.insert(parameter.alias).second) << parameter.alias;
        }
        EXPECT_EQ(parameter.apply == nullptr, parameter.summary.empty()) << parameter.name;
    }
    const Settings settings;  // checks each default
    EXPECT_EQ(settings.text("port"), "6379");
}

TEST(Settings, EveryShownValueReadsBackToItself) {
    Settings settings;
    for (const Parameter& parameter : parameters()) {
        const ParameterValue before = settings.value(parameter);
        ParameterValue after = before;
        const std::vector<std::string> words = split_words(before.text);
        std::vector<std::string_view> views(words.begin(), words.end());
        if (!parameter.is_list() || views.empty()) {
            views.assign(1, before.text);
        }
        EXPECT_EQ(parse_parameter(parameter, views, after), "") << parameter.name;
        EXPECT_EQ(before, after) << parameter.name;
    }
}

TEST(Settings, FileSetsTypedFields) {
    Settings settings;
    const Result<void> loaded = load(settings,
                                     "# a comment\n"
                                     "\n"
                                     "maxmemory 2gb\r\n"
                                     "  requirepass \"a \\x41 \\\" b\"\n"
                                     "hash-max-ziplist-entries 7\n"
                                     "client-output-buffer-limit normal 1mb 0 0\n"
                                     "SAVE 60 100\n"
                                     "save 300 1\n"
                                     "bind 127.0.0.1 -::1\n"
                                     "unixsocketperm 750\n"
                                     "listen unix:/tmp/a\n"
                                     "listen tcp:127.0.0.1:1\n");
    ASSERT_TRUE(loaded) << loaded.error().message;
    const Config& config = settings.config();
    EXPECT_EQ(config.maxmemory, 2ULL << 30);
    EXPECT_EQ(config.requirepass, "a A \" b");
    EXPECT_EQ(config.hash_limits.entry_count_max, 7U);
    EXPECT_EQ(config.output_limits.normal.hard_bytes, 1U << 20);
    EXPECT_EQ(config.unixsocketperm, 0750U);
    EXPECT_THAT(config.bind, ElementsAre("127.0.0.1", "-::1"));
    EXPECT_THAT(config.listen, ElementsAre("unix:/tmp/a", "tcp:127.0.0.1:1"));
    EXPECT_EQ(settings.text("save"), "60 100 300 1");
    EXPECT_EQ(settings.text("client-output-buffer-limit"),
              "normal 1048576 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60");
    EXPECT_TRUE(settings.was_given("maxmemory"));
    EXPECT_FALSE(settings.was_given("port"));
    EXPECT_THAT(settings.given_without_effect(), ElementsAre("save"));
}

struct Wrong {
    std::string_view text;
    std::string_view message;
};

TEST(Settings, FileErrorsNameFileLineAndReason) {
    constexpr Wrong kWrongs[] = {
        {"port 1\nmaxmemry 10\n", "redis.conf:2: maxmemry 10: unknown parameter 'maxmemry'"},
        {"port x", "redis.conf:1: port x: argument couldn't be parsed into an integer"},
        {"\n\nport 65536",
         "redis.conf:3: port 65536: argument must be between 0 and 65535 inclusive"},
        {"maxmemory 10zz", "redis.conf:1: maxmemory 10zz: argument must be a memory value"},
        {"maxmemory 99999999999gb", "argument must be a memory value"},
        {"appendonly maybe", "redis.conf:1: appendonly maybe: argument must be 'yes' or 'no'"},
        {"appendfsync often", "must be one of the following: everysec, always, no"},
        {"save 1", "redis.conf:1: save 1: Invalid save parameters"},
        {"unixsocketperm 9", "argument couldn't be parsed as an octal number"},
        {"unixsocketperm 1777", "argument must be between 0 and 777 inclusive"},
        {"port", "redis.conf:1: port : wrong number of arguments"},
        {"port 1 2", "wrong number of arguments"},
        {"requirepass \"abc", "redis.conf:1: a quote is not closed"},
        {"include a b", "redis.conf:1: include takes one path"},
        {"include gone", "redis.conf:1: no file gone"},
        {"loadmodule x.so", "redis.conf:1: loadmodule x.so: tern loads no modules"},
        {"rename-command GET", "redis.conf:1: rename-command GET: rename-command takes"},
        {"bind \"a b\"", "redis.conf:1: bind a b: arguments can't contain spaces"},
        {"listen \"unix:/a b\"", "arguments can't contain spaces"},
        {"replicaof \"a b\" 1", "arguments can't contain spaces"},
        {"listen udp:1", "redis.conf:1: listen udp:1: "},
    };
    for (const Wrong& wrong : kWrongs) {
        Settings settings;
        const Result<void> loaded = load(settings, std::string(wrong.text));
        ASSERT_FALSE(loaded) << wrong.text;
        EXPECT_THAT(loaded.error().message, HasSubstr(std::string(wrong.message)));
        EXPECT_EQ(loaded.error().message.find('\n'), std::string::npos);
    }
}

TEST(Settings, IncludeReadsFilesInPlace) {
    const std::map<std::string, std::string> files = {
        {"a", "port 1\ninclude b\n"}, {"b", "port 2\nmaxclients 5\n"}, {"loop", "include loop\n"}};
    const ConfigFinder find = [&](const std::string& name) -> Result<std::vector<ConfigSource>> {
        return std::vector<ConfigSource>{{name, files.at(name)}};
    };
    Settings settings;
    ASSERT_TRUE(settings.load({"a", files.at("a")}, find));
    EXPECT_EQ(settings.config().port, 2);
    EXPECT_EQ(settings.config().maxclients, 5);
    const Result<void> endless = settings.load({"loop", files.at("loop")}, find);
    ASSERT_FALSE(endless);
    EXPECT_THAT(endless.error().message, HasSubstr("include each other"));
}

TEST(Settings, OptionsGoBeforeTheFile) {
    Settings settings;
    ASSERT_TRUE(load(settings, "port 1\nlisten tcp:a:1\n"));
    constexpr std::string_view kArguments[] = {"--port",
                                               "2",
                                               "--save",
                                               "",
                                               "--listen",
                                               "tcp:b:1",
                                               "--listen",
                                               "tcp:c:1",
                                               "--client-output-buffer-limit",
                                               "normal",
                                               "1",
                                               "2",
                                               "3"};
    const Result<void> loaded = settings.load_options(kArguments);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(settings.config().port, 2);
    EXPECT_THAT(settings.config().listen, ElementsAre("tcp:b:1", "tcp:c:1"));
    EXPECT_EQ(settings.config().output_limits.normal.hard_bytes, 1U);
}

TEST(Settings, OptionErrorsNameTheOption) {
    Settings settings;
    constexpr std::string_view kUnknown[] = {"--prot", "1"};
    EXPECT_THAT(settings.load_options(kUnknown).error().message,
                HasSubstr("--prot 1: unknown parameter 'prot'"));
    constexpr std::string_view kStray[] = {"port", "1"};
    EXPECT_THAT(settings.load_options(kStray).error().message, HasSubstr("'port' is no option"));
    constexpr std::string_view kNoValue[] = {"--port", "--maxclients", "1"};
    EXPECT_THAT(settings.load_options(kNoValue).error().message,
                HasSubstr("--port : wrong number of arguments"));
}

TEST(Settings, ChangeIsAllOrNothing) {
    Settings settings;
    EXPECT_EQ(
        change(settings, {{"maxmemory", "100"}, {"maxclients", "xx"}}),
        "ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument couldn't "
        "be parsed into an integer");
    EXPECT_EQ(settings.config().maxmemory, 0U);
    EXPECT_EQ(settings.text("maxmemory"), "0");
    EXPECT_EQ(change(settings, {{"maxmemory", "1kb"}, {"MAXCLIENTS", "9"}}), "");
    EXPECT_EQ(settings.config().maxmemory, 1024U);
    EXPECT_EQ(settings.config().maxclients, 9);
}

TEST(Settings, ChangeRefusesAsRedisDoes) {
    Settings settings;
    const std::string front = "ERR CONFIG SET failed (possibly related to argument '";
    EXPECT_EQ(change(settings, {{"port", "99999"}, {"foo", "1"}}),
              front + "port') - can't set immutable config");
    EXPECT_EQ(change(settings, {{"maxmemory", "x"}, {"foo", "1"}}),
              "ERR Unknown option or number of arguments for CONFIG SET - 'foo'");
    EXPECT_EQ(change(settings, {{"maxmemory", "1"}, {"maxmemory", "2"}}),
              front + "maxmemory') - duplicate parameter");
    EXPECT_EQ(
        change(settings, {{"hash-max-listpack-entries", "1"}, {"hash-max-ziplist-entries", "2"}}),
        front + "hash-max-ziplist-entries') - duplicate parameter");
    EXPECT_EQ(change(settings, {{"dir", "/"}}), front + "dir') - can't set protected config");
    EXPECT_EQ(settings.change(std::vector<Settings::Pair>{{"dir", "/nowhere/at/all"}}, true),
              front + "dir') - No such file or directory");
}

TEST(Settings, ListsAreSplitAndNormalised) {
    Settings settings;
    EXPECT_EQ(change(settings, {{"save", "10 2 20 3"}}), "");
    EXPECT_EQ(settings.text("save"), "10 2 20 3");
    EXPECT_EQ(change(settings, {{"save", ""}}), "");
    EXPECT_EQ(settings.text("save"), "");
    EXPECT_EQ(change(settings, {{"notify-keyspace-events", "KEg$lshzxetd"}}), "");
    EXPECT_EQ(settings.text("notify-keyspace-events"), "AKE");
    EXPECT_EQ(change(settings, {{"client-output-buffer-limit", "replica 1mb 2mb 3"}}), "");
    EXPECT_EQ(settings.text("client-output-buffer-limit"),
              "normal 0 0 0 slave 1048576 2097152 3 pubsub 33554432 8388608 60");
    EXPECT_EQ(change(settings, {{"shutdown-on-sigterm", "now SAVE"}}), "");
    EXPECT_EQ(settings.text("shutdown-on-sigterm"), "save now");
}

TEST(Settings, RewriteKeepsCommentsAndOrder) {
    Settings settings;
    const std::string before =
        "# mine\n"
        "port 1\n"
        "\n"
        "hash-max-ziplist-entries 7\n"
        "port 2\n"
        "# the end\n";
    ASSERT_TRUE(load(settings, before));
    ASSERT_EQ(
        change(settings, {{"maxmemory", "1mb"}, {"save", "60 1 30 2"}, {"requirepass", "a \"b\n"}}),
        "");
    const std::string after = settings.rewritten(before);
    EXPECT_EQ(after,
              "# mine\n"
              "port 2\n"
              "\n"
              "hash-max-listpack-entries 7\n"
              "# the end\n"
              "# Generated by CONFIG REWRITE\n"
              "maxmemory 1048576\n"
              "requirepass \"a \\\"b\\x0a\"\n"
              "save 60 1\n"
              "save 30 2\n");
    // Written again it stays as it is, and read again it means the same.
    EXPECT_EQ(settings.rewritten(after), after);
    Settings again;
    ASSERT_TRUE(load(again, after));
    EXPECT_EQ(again.text("requirepass"), "a \"b\n");
    EXPECT_EQ(again.text("save"), "60 1 30 2");
}

TEST(Settings, RewriteReplacesTheFile) {
    char directory[] = "/tmp/tern-settings-XXXXXX";
    ASSERT_NE(::mkdtemp(directory), nullptr);
    const std::string path = std::string(directory) + "/redis.conf";
    std::ofstream(path) << "# mine\nmaxclients 10\n";
    Settings settings;
    EXPECT_EQ(settings.rewrite(), "ERR The server is running without a config file");
    ASSERT_TRUE(settings.load_file(path));
    ASSERT_EQ(change(settings, {{"maxclients", "20"}}), "");
    EXPECT_EQ(settings.rewrite(), "");
    EXPECT_EQ(*read_config_file(path), "# mine\nmaxclients 20\n");
    ::unlink(path.c_str());
    ::rmdir(directory);
    EXPECT_THAT(settings.rewrite(), HasSubstr("ERR Rewriting config file: "));
}

}  // namespace
}  // namespace tern::server
