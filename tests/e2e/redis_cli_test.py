#!/usr/bin/env python3
"""redis-cli against tern: one-shot, RESP3, --pipe, --stat, --bigkeys, scripts, a terminal."""
import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import termios
import time

from harness import Tern, check, output_of, skip_test


def cli(server, *arguments, stdin=b"", timeout_s=60):
    code, out, err = output_of(["redis-cli", "-p", str(server.port), *arguments], stdin, timeout_s)
    check(code == 0, f"redis-cli {' '.join(arguments)} succeeds", code, out, err)
    return out


def one_shot(server):
    check(cli(server, "PING") == b"PONG\n", "PING")
    check(cli(server, "SET", "k", "v") == b"OK\n", "SET")
    check(cli(server, "GET", "k") == b"v\n", "GET")
    check(cli(server, "INCR", "n") == b"1\n", "INCR")
    check(cli(server, "GET", "none") == b"\n", "GET of nothing")
    check(cli(server, "HSET", "h", "f", "v") == b"1\n", "HSET")
    check(cli(server, "-n", "3", "DBSIZE") == b"0\n", "-n selects a database")
    check(cli(server, "--raw", "ECHO", "a\nb") == b"a\nb\n", "--raw")
    check(cli(server, "--csv", "HGETALL", "h") == b'"f","v"\n', "--csv")
    check(b"ERR unknown command" in cli(server, "NOSUCH"), "an error is printed")
    check(cli(server, "-x", "SET", "x", stdin=b"from stdin") == b"OK\n", "-x")
    check(cli(server, "GET", "x") == b"from stdin\n", "-x stored it")
    check(cli(server, "-r", "3", "INCR", "r") == b"1\n2\n3\n", "-r")


def unix_socket(server):
    code, out, _ = output_of(["redis-cli", "-s", server.unix_path, "PING"])
    check(code == 0 and out == b"PONG\n", "over the Unix socket", code, out)


def resp3(server):
    cli(server, "ZADD", "z", "1.5", "a")
    check(cli(server, "-3", "ZSCORE", "z", "a") == b"1.5\n", "-3 ZSCORE")
    check(b"f" in cli(server, "-3", "HGETALL", "h"), "-3 HGETALL")
    out = cli(server, "-3", "--json", "HGETALL", "h")
    check(out.strip() == b'{"f":"v"}', "--json of a map", out)


def script(server):
    out = cli(server, stdin=b"SET a 1\nINCR a\nGET a\n")
    check(out == b"OK\n2\n2\n", "commands from standard input", out)


def pipe(server):
    count = 20_000
    data = b"".join(b"*3\r\n$3\r\nSET\r\n$%d\r\np%d\r\n$1\r\nv\r\n" % (len(str(i)) + 1, i)
                    for i in range(count))
    out = cli(server, "--pipe", stdin=data)
    check(b"errors: 0, replies: %d" % count in out, "--pipe", out)
    check(int(cli(server, "DBSIZE")) >= count, "--pipe stored the keys")


def scans(server):
    out = cli(server, "--scan", "--pattern", "p1999*")
    check(b"p19999\n" in out and out.count(b"\n") == 11, "--scan", out)
    out = cli(server, "--bigkeys")
    check(b"summary" in out and b"Biggest string" in out, "--bigkeys", out[-800:])
    out = cli(server, "--memkeys")
    check(b"summary" in out, "--memkeys", out[-800:])


def first_lines(command, count, timeout_s=20):
    """What a command prints first; it is ended then."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        deadline, data = time.monotonic() + timeout_s, b""
        while data.count(b"\n") < count and time.monotonic() < deadline:
            if select.select([process.stdout], [], [], 0.2)[0]:
                more = os.read(process.stdout.fileno(), 4096)
                if not more:
                    break
                data += more
        process.terminate()
        return data


def stat(server):
    out = first_lines(["redis-cli", "-p", str(server.port), "--stat", "-i", "0.05"], 4)
    check(b"keys" in out and b"mem" in out and b"requests" in out, "--stat prints its header", out)
    columns = out.splitlines()[2].split()
    check(columns and columns[0].isdigit(), "--stat prints figures", out)


def terminal(server):
    """The prompt loads COMMAND DOCS for its hints, then runs what is typed."""
    child, fd = pty.fork()
    if child == 0:
        time.sleep(0.2)  # the parent sets the terminal's size meanwhile
        os.environ.update(TERM="xterm", HOME="/nonexistent", REDISCLI_HISTFILE="/dev/null")
        os.execvp("redis-cli", ["redis-cli", "-p", str(server.port)])
    # With a size known, the line editor need not ask the terminal for its cursor.
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    seen = b""

    def read_until(text, what):
        nonlocal seen
        deadline = time.monotonic() + 20
        while text not in seen and time.monotonic() < deadline:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 4096)
                except OSError:
                    break
        check(text in seen, what, seen[-400:])
        seen = seen[seen.index(text) + len(text):]

    def type_line(line):
        # Only behind a prompt: what is typed before the editor has the terminal is thrown away.
        read_until(b"> ", "a prompt")
        os.write(fd, line + b"\r")

    type_line(b"SET typed value")
    read_until(b"OK", "SET from the prompt")
    type_line(b"GET typed")
    read_until(b'"value"', "GET from the prompt")
    type_line(b"help get")
    read_until(b"GET", "help")
    type_line(b"QUIT")
    _, status = os.waitpid(child, 0)
    os.close(fd)
    check(os.waitstatus_to_exitcode(status) == 0, "redis-cli ends by QUIT", status)


def main():
    if not shutil.which("redis-cli"):
        skip_test("redis-cli is not installed")
    with Tern() as server:
        for part in (one_shot, unix_socket, resp3, script, pipe, scans, stat, terminal):
            part(server)
            print(f"ok: {part.__name__}")


if __name__ == "__main__":
    main()
