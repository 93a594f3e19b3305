#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/scripting/shebang.hpp"
#include "server/test_executor.hpp"

namespace tern::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct ScriptTest : testing::Test {
    std::string eval(std::string_view script) { return server.run({"EVAL", script, "0"}); }

    TestExecutor server;
};

TEST_F(ScriptTest, ValuesGoBothWays) {
    EXPECT_EQ(eval("return 3.99"), ":3\r\n");
    EXPECT_EQ(eval("return 'text'"), "$4\r\ntext\r\n");
    EXPECT_EQ(eval("return {1,'a',{2},nil,5}"), "*3\r\n:1\r\n$1\r\na\r\n*1\r\n:2\r\n");
    EXPECT_EQ(eval("return true"), ":1\r\n");
    EXPECT_EQ(eval("return false"), "$-1\r\n");
    EXPECT_EQ(eval("return {ok='fine'}"), "+fine\r\n");
    EXPECT_EQ(eval("return {err='My Err'}"), "-My Err\r\n");
    EXPECT_EQ(eval("return redis.error_reply('Single')"), "-ERR Single\r\n");
    EXPECT_EQ(eval("return redis.call('GET','none') == false"), ":1\r\n");
    EXPECT_EQ(eval("return redis.call('SET','n',3.1).ok"), "$2\r\nOK\r\n");
    EXPECT_EQ(server.run({"GET", "n"}), "$3\r\n3.1\r\n");
    EXPECT_EQ(server.run({"EVAL", "return {KEYS[1],ARGV[1],#ARGV}", "1", "k", "a", "b"}),
              "*3\r\n$1\r\nk\r\n$1\r\na\r\n:2\r\n");
}

TEST_F(ScriptTest, Resp3ValuesKeepTheirTypes) {
    TestExecutor::Client client;
    server.connect(client);
    client.session.protocol = server::Protocol::kResp3;
    const auto run = [&](std::string_view script) {
        return server.run(client, {"EVAL", script, "0"});
    };
    EXPECT_EQ(run("return {double=3.5}"), ",3.5\r\n");
    EXPECT_EQ(run("return {map={a=1}}"), "%1\r\n$1\r\na\r\n:1\r\n");
    EXPECT_EQ(run("return {set={a=true}}"), "~1\r\n$1\r\na\r\n");
    EXPECT_EQ(run("return {big_number='12'}"), "(12\r\n");
    EXPECT_EQ(run("return {verbatim_string={format='txt',string='x'}}"), "=5\r\ntxt:x\r\n");
    EXPECT_EQ(run("redis.setresp(3) return true"), "#t\r\n");
    EXPECT_EQ(run("redis.call('HSET','h','f','v') redis.setresp(3) "
                  "return redis.call('HGETALL','h').map.f"),
              "$1\r\nv\r\n");
    EXPECT_EQ(run("redis.setresp(3) return redis.call('GET','none') == nil"), "#t\r\n");
    server.disconnect(client);
}

TEST_F(ScriptTest, ErrorsTellTheirPlace) {
    EXPECT_EQ(eval("error('boom')"),
              "-ERR user_script:1: boom script: 82903a0434f1503e152f89c03c9acd881a0e8150, on "
              "@user_script:1.\r\n");
    EXPECT_THAT(eval("return redis.call('NOPE')"),
                StartsWith("-ERR Unknown Redis command called from script script: "));
    EXPECT_THAT(eval("redis.call('SET','k','v') return redis.call('LPUSH','k','x')"),
                StartsWith("-WRONGTYPE Operation against a key holding the wrong kind of value "
                           "script: "));
    EXPECT_THAT(eval("bad lua"), StartsWith("-ERR Error compiling script (new function): "));
    EXPECT_EQ(eval("return type(redis.pcall('NOPE'))"), "$5\r\ntable\r\n");
    EXPECT_EQ(eval("return {pcall(redis.call,'NOPE')}"),
              "*2\r\n$-1\r\n$44\r\nERR Unknown Redis command called from script\r\n");
    EXPECT_EQ(server.run({"EVAL", "return 1", "2", "k"}),
              "-ERR Number of keys can't be greater than number of args\r\n");
    EXPECT_EQ(server.run({"EVAL", "return 1", "-1"}), "-ERR Number of keys can't be negative\r\n");
}

TEST_F(ScriptTest, HalfAScriptStaysDone) {
    EXPECT_THAT(eval("redis.call('SET','half','1') error('stop')"), HasSubstr("stop"));
    EXPECT_EQ(server.run({"GET", "half"}), "$1\r\n1\r\n");
}

TEST_F(ScriptTest, SandboxIsClosed) {
    for (const std::string_view script : {"x = 1",
                                          "string.x = 1",
                                          "_G.x = 1",
                                          "rawset(_G, 'x', 1)",
                                          "setmetatable(_G, {})",
                                          "setmetatable(redis, {})",
                                          "table.insert(redis, 1)",
                                          "setfenv(0, {})",
                                          "redis.call = nil",
                                          "getmetatable('').__index.upper = nil",
                                          "return loadstring('y = 1')()",
                                          "return load(function() return nil end).x",
                                          "return os",
                                          "return io",
                                          "return debug",
                                          "return print('x')",
                                          "return dofile('x')",
                                          "return require('x')"}) {
        EXPECT_THAT(eval(script), StartsWith("-ERR ")) << script;
    }
    EXPECT_EQ(eval("return loadstring(string.dump(function() return 1 end)) == nil"), ":1\r\n");
    EXPECT_EQ(eval("return ('x'):upper() .. type(redis.call)"), "$9\r\nXfunction\r\n");
    EXPECT_THAT(server.run({"SCRIPT", "LOAD", "\x1bLuaQ"}), StartsWith("-ERR Error compiling"));
}

TEST_F(ScriptTest, WhatScriptsMayNotCall) {
    for (const std::string_view name :
         {"MULTI", "SUBSCRIBE", "EVAL", "CONFIG", "SCRIPT", "WATCH"}) {
        const std::string script = "return redis.pcall('" + std::string(name) + "','a','0').err";
        EXPECT_THAT(eval(script), HasSubstr("from script")) << name;
    }
    EXPECT_EQ(server.run({"EVAL_RO", "return redis.pcall('SET','a','b').err", "0"}),
              "$58\r\nERR Write commands are not allowed from read-only scripts.\r\n");
    EXPECT_EQ(eval("return redis.call('BLPOP','none',0)"), "$-1\r\n");
    EXPECT_EQ(eval("redis.call('SELECT',3) redis.call('SET','there','1')"), "$-1\r\n");
    EXPECT_EQ(server.run({"EXISTS", "there"}), ":0\r\n");
}

TEST_F(ScriptTest, CacheKnowsScriptsByTheirSha) {
    EXPECT_EQ(server.run({"SCRIPT", "LOAD", "return 7"}),
              "$40\r\n59b6ab2fbe0ee4b25733de0f62e6cda4899ef8e9\r\n")
        << "the SHA-1 of the text";
}

TEST_F(ScriptTest, CacheAnswersAndForgets) {
    const std::string reply = server.run({"SCRIPT", "LOAD", "return ARGV[1]"});
    const std::string sha = reply.substr(5, 40);
    EXPECT_EQ(server.run({"EVALSHA", sha, "0", "x"}), "$1\r\nx\r\n");
    EXPECT_EQ(server.run({"EVALSHA_RO", sha, "0", "y"}), "$1\r\ny\r\n");
    EXPECT_EQ(server.run({"SCRIPT", "EXISTS", sha, "none"}), "*2\r\n:1\r\n:0\r\n");
    EXPECT_EQ(server.run({"SCRIPT", "FLUSH", "ASYNC"}), "+OK\r\n");
    EXPECT_EQ(server.run({"EVALSHA", sha, "0"}),
              "-NOSCRIPT No matching script. Please use EVAL.\r\n");
    EXPECT_EQ(server.run({"SCRIPT", "FLUSH", "LATER"}),
              "-ERR SCRIPT FLUSH only support SYNC|ASYNC option\r\n");
    EXPECT_EQ(server.run({"SCRIPT", "KILL"}), "-NOTBUSY No scripts in execution right now.\r\n");
}

TEST_F(ScriptTest, FirstLineSaysWhatAScriptMay) {
    EXPECT_EQ(eval("#!lua\nreturn 5"), ":5\r\n");
    EXPECT_THAT(eval("#!lua flags=no-writes\nreturn redis.call('SET','a','b')"),
                StartsWith("-ERR Write commands are not allowed from read-only scripts."));
    EXPECT_EQ(server.run({"EVAL_RO", "#!lua\nreturn 5", "0"}),
              "-ERR Can not execute a script with write flag using *_ro command.\r\n");
    EXPECT_EQ(eval("#!lua flags=bogus\nreturn 5"),
              "-ERR Unexpected flag in script shebang: bogus\r\n");
    EXPECT_EQ(eval("#!other\nreturn 5"), "-ERR Unexpected engine in script shebang: #!other\r\n");
    EXPECT_EQ(eval("#!lua more\nreturn 5"), "-ERR Unknown lua shebang option: more\r\n");
    EXPECT_EQ(eval("#!lua"), "-ERR Invalid script shebang\r\n");
    const server::Shebang shebang = server::parse_shebang("#!lua name=lib flags=allow-oom\nx");
    EXPECT_EQ(shebang.name, "lib");
    EXPECT_TRUE(shebang.flags.allow_oom);
    EXPECT_EQ(shebang.body, "\nx");
}

TEST_F(ScriptTest, PackLibrariesAgreeWithTheirFormats) {
    EXPECT_EQ(eval("return struct.pack('>I2<h!4xi4', 258, -2, 5)"),
              std::string("$12\r\n\x01\x02\xFE\xFF\0\0\0\0\x05\0\0\0\r\n", 19));
    EXPECT_EQ(eval("local a,b,c,d = struct.unpack('>I2c0s', '\\0\\3abcxy\\0') return {a,b,c}"),
              "*3\r\n$3\r\nabc\r\n$2\r\nxy\r\n:9\r\n");
    EXPECT_EQ(eval("return cmsgpack.pack({1,2,{a=1}})"),
              std::string("$7\r\n\x93\x01\x02\x81\xA1") + "a\x01\r\n");
    EXPECT_EQ(eval("return {cmsgpack.unpack_one('\\1\\2\\3', 1)}"), "*2\r\n:2\r\n:2\r\n");
    EXPECT_THAT(eval("return cmsgpack.unpack('\\146')"), HasSubstr("Missing bytes in input."));
    EXPECT_THAT(eval("return struct.unpack('>I4', 'ab')"), HasSubstr("data string too short"));
    EXPECT_EQ(eval("return cjson.encode(cjson.decode('{\"a\":[1,null]}'))"),
              "$14\r\n{\"a\":[1,null]}\r\n");
    EXPECT_EQ(eval("return bit.tohex(bit.bxor(255, 15))"), "$8\r\n000000f0\r\n");
}

TEST_F(ScriptTest, RunsInsideTransactionsAndWakesWatchers) {
    server.run({"MULTI"});
    server.run({"EVAL", "return redis.call('INCR','n')", "0"});
    EXPECT_EQ(server.run({"EXEC"}), "*1\r\n:1\r\n");
    TestExecutor::Client watcher;
    server.connect(watcher);
    server.run(watcher, {"WATCH", "n"});
    eval("redis.call('INCR','n')");
    server.run(watcher, {"MULTI"});
    EXPECT_EQ(server.run(watcher, {"EXEC"}), "*-1\r\n");
    server.disconnect(watcher);
}

/// While a script is busy, `while_busy` runs in its place in the loop.
TEST_F(ScriptTest, BusyScriptCanBeKilledUntilItWrites) {
    server.run({"CONFIG", "SET", "busy-reply-threshold", "1"});
    TestExecutor::Client other;
    server.connect(other);
    std::string refused;
    std::string killed;
    server.server().set_serve_while_busy([&] {
        const server::Server::Nesting nesting(server.server());
        refused = server.run(other, {"GET", "k"});
        killed = server.run(other, {"SCRIPT", "KILL"});
    });
    EXPECT_THAT(eval("while true do pcall(function() while true do end end) end"),
                StartsWith("-ERR Script killed by user with SCRIPT KILL. script: "));
    EXPECT_THAT(refused, StartsWith("-BUSY Redis is busy running a script."));
    EXPECT_EQ(killed, "+OK\r\n");
    server.server().set_serve_while_busy([&] {
        const server::Server::Nesting nesting(server.server());
        killed = server.run(other, {"SCRIPT", "KILL"});
        server.server().request_stop();
    });
    eval("redis.call('SET','k','v') while true do end");
    EXPECT_THAT(killed, StartsWith("-UNKILLABLE "));
    server.disconnect(other);
}

}  // namespace
}  // namespace tern::test
