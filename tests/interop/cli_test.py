#!/usr/bin/env python3
"""tern cli beside redis-cli: the same bytes for the same commands, on tern and redis-server; pipes,
options, exit statuses, and the prompt on a terminal."""
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))

from harness import Tern, check, free_port, output_of, skip_test, tern_path  # noqa: E402

# Each is run by both programs; none changes what a later one prints.
COMMANDS = [
    ["PING"], ["SET", "k", "v"], ["GET", "k"], ["GET", "none"], ["NOSUCH", "a"], ["SET", "k"],
    ["ECHO", "a\tb\n\"\\"], ["MGET", "k", "none", "z"], ["HGETALL", "h"], ["HGETALL", "none"],
    ["ZRANGE", "z", "0", "-1", "WITHSCORES"], ["ZSCORE", "z", "b"], ["TTL", "k"],
    ["CONFIG", "GET", "maxmemory*"], ["COMMAND", "INFO", "get", "zadd"], ["COMMAND", "COUNT"],
    ["SCAN", "0"], ["ZRANGE", "many", "0", "-1"], ["OBJECT", "ENCODING", "k"],
    ["COMMAND", "DOCS", "set"], ["LOLWUT", "VERSION", "4711"],
]
PREPARE = [["HSET", "h", "a", "1", "b", ""], ["ZADD", "z", "1", "a", "2.5", "b"],
           ["ZADD", "many", *[x for i in range(12) for x in (str(i), f"m{i}")]]]
# Only redis-server has all of these: nested maps, sets in maps, doubles, verbatim texts.
REDIS_COMMANDS = [
    ["EVAL", "return {1,{2,{},{3,{err='x'}}},'q'}", "0"],
    ["EVAL", "redis.setresp(3); return {map={a={map={q={1,2}}},b={{map={c={}}}}}}", "0"],
    ["EVAL", "redis.setresp(3); return {map={a={verbatim_string={format='txt',string='x\\ny'}}}}", "0"],
    ["EVAL", "redis.setresp(3); return {double=3.5}", "0"],
    ["EVAL", "return '\\0\\1\\200\\t\\r\\n'", "0"],
    ["DEBUG", "PROTOCOL", "set"], ["DEBUG", "PROTOCOL", "map"], ["DEBUG", "PROTOCOL", "true"],
    ["DEBUG", "PROTOCOL", "verbatim"], ["COMMAND", "DOCS"], ["COMMAND", "INFO"],
    ["ACL", "GETUSER", "default"],
]
MODES = [["--no-raw"], ["--raw"], [], ["-3", "--no-raw"], ["-3", "--raw"]]


def same_output(port, mode, words):
    """Both programs print the same. A server that answers otherwise each time (the order of COMMAND
    DOCS changes while its table grows) is asked again."""
    theirs_command = ["redis-cli", "-p", str(port), *mode, *words]
    for _ in range(20):
        _, theirs, _ = output_of(theirs_command)
        _, ours, err = output_of([tern_path(), "cli", "-p", str(port), *mode, *words])
        if ours == theirs:
            return
        if output_of(theirs_command)[1] == theirs:
            break
    at = next((i for i, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1]),
              min(len(theirs), len(ours)))
    near = slice(max(0, at - 200), at + 200)
    check(False, f"{' '.join(mode + words)} prints the same (at {at})", theirs[near], ours[near],
          err)


def compare(port, commands):
    for words in commands:
        for mode in MODES:
            same_output(port, mode, words)


def compare_json(port):
    for words in (["HGETALL", "h"], ["ZRANGE", "z", "0", "-1", "WITHSCORES"], ["GET", "none"]):
        for mode in (["--json"], ["--json", "-2"]):
            same_output(port, mode, words)


def compare_pipes(port):
    lines = b'PING\n\nSET a "x\\ny"\nGET a\n3 PING\nSET "bad\nGET a\nNOSUCH\nexit\nPING\n'
    for mode in (["--no-raw"], ["--raw"]):
        _, theirs, _ = output_of(["redis-cli", "-p", str(port), *mode], lines)
        _, ours, _ = output_of([tern_path(), "cli", "-p", str(port), *mode], lines)
        check(ours == theirs, f"lines from a pipe with {mode}", theirs, ours)
    large = bytes(range(256)) * 1000
    output_of([tern_path(), "cli", "-p", str(port), "-x", "SET", "x"], large)
    _, out, _ = output_of([tern_path(), "cli", "-p", str(port), "GET", "x"])
    check(out == large + b"\n", "-x stores standard input", len(out))


class RedisServer:
    def __init__(self):
        self.port = free_port()
        self.directory = tempfile.TemporaryDirectory(prefix="tern-cli-")
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--enable-debug-command",
             "yes", "--dir", self.directory.name], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while output_of(["redis-cli", "-p", str(self.port), "PING"])[1] != b"PONG\n":
            check(time.monotonic() < deadline, "redis-server starts")
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()


def endpoints(server):
    """Every endpoint and protocol, and what exit statuses say."""
    for endpoint in (f"tcp:127.0.0.1:{server.port}", f"unix:{server.unix_path}",
                     f"ring:{server.unix_path}"):
        if len(sys.argv) > 2:
            code, out, err = output_of([sys.argv[2], endpoint])
            check((code, out) == (0, b"hello\n"), "the example of the README", code, out, err)
        for protocol in ("--sbe", "-2", "-3"):
            command = [tern_path(), "cli", "-e", endpoint, protocol, "--no-raw"]
            code, out, err = output_of([*command, "ZRANGE", "z", "0", "-1"])
            check((code, out) == (0, b'1) "a"\n2) "b"\n'), f"{command}", code, out, err)
            code, out, _ = output_of([*command, "NOSUCH"])
            check(code == 1 and out.startswith(b"(error) ERR unknown command"), "error status",
                  code, out)
            code, out, _ = output_of([*command, "-n", "2", "DBSIZE"])
            check((code, out) == (0, b"(integer) 0\n"), "-n", code, out)
    code, out, err = output_of([tern_path(), "cli", "-p", "1", "PING"])
    check(code == 1 and b"127.0.0.1:1" in err, "a server that is not there", code, err)
    code, _, err = output_of([tern_path(), "cli", "--nonsense"])
    check(code == 2, "wrong usage", code, err)
    code, out, _ = output_of([tern_path(), "cli", "-p", str(server.port), "-r", "3", "-i", "0.01",
                              "INCR", "r"])
    check((code, out) == (0, b"1\n2\n3\n"), "-r and -i", code, out)


class Terminal:
    """The prompt on a pseudo-terminal of 100 columns."""

    def __init__(self, port, history):
        environment = dict(os.environ, TERM="xterm", TERN_HISTFILE=history)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(tern_path(), [tern_path(), "cli", "-p", str(port)], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.seen = b""

    def expect(self, text):
        deadline = time.monotonic() + 30
        while text not in self.seen:
            check(time.monotonic() < deadline, f"the prompt shows {text}", self.seen)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    check(False, f"the prompt shows {text} before it ends", self.seen)
        self.seen = self.seen[self.seen.index(text) + len(text):]

    def type(self, text):
        os.write(self.fd, text)


def prompt(server):
    with tempfile.TemporaryDirectory(prefix="tern-cli-") as directory:
        history = os.path.join(directory, "history")
        terminal = Terminal(server.port, history)
        mark = f"127.0.0.1:{server.port}".encode()
        terminal.expect(mark + b"> ")
        terminal.type(b"hget ")
        terminal.expect(b"key field")  # the hint
        terminal.type(b"h a\n")
        terminal.expect(b'"1"\r\n')
        terminal.type(b"zcar\t")
        terminal.type(b"z\n")
        terminal.expect(b"(integer) 2\r\n")
        terminal.type(b"select 1\n")
        terminal.expect(mark + b"[1]> ")
        terminal.type(b"auth secret\n")
        terminal.expect(b"(error)")
        terminal.type(b"help get\n")
        terminal.expect(b"summary: ")
        terminal.type(b"quit\n")
        _, status = os.waitpid(terminal.pid, 0)
        check(status == 0, "quit ends the prompt", status)
        kept = Path(history).read_text()
        check("zcard" in kept and "secret" not in kept, "history without passwords", kept)


def main():
    has_redis = shutil.which("redis-server") and shutil.which("redis-cli")
    with Tern() as server:
        for words in PREPARE:
            output_of([tern_path(), "cli", "-p", str(server.port), *words])
        endpoints(server)
        prompt(server)
        if not has_redis:
            skip_test("no redis-cli to compare with; the rest has passed")
        compare(server.port, COMMANDS)
        compare_json(server.port)
        compare_pipes(server.port)
    with RedisServer() as server:
        compare(server.port, REDIS_COMMANDS)


if __name__ == "__main__":
    main()
