#!/usr/bin/env python3
"""The server's system calls, counted by strace: what a request costs, and that SET maps nothing."""
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from harness import Tern, check, die_with_parent, output_of, skip_test, tern_path

CALL = re.compile(r"^(\d+)\s+(\w+)\(")
MAPPING_CALLS = ("mmap", "munmap", "mremap", "madvise", "brk")
# What connecting, leaving, the clock's ticks and a late wake-up may add to any count.
SLACK = 60
# Between two requests, so that each finds the loop asleep: under strace a call takes tens of
# microseconds, and without a pause the next request is there before the loop has looked.
PAUSE_S = 0.003


class Trace:
    """Counts the calls of the server's loop while it lasts; a context manager."""

    def __init__(self, server):
        self.pid = server.process.pid
        self.calls = Counter()

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="tern-strace-")
        self.path = Path(self.directory.name, "trace")
        self.process = subprocess.Popen(
            ["strace", "-f", "-p", str(self.pid), "-o", str(self.path)],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        line = self.process.stderr.readline().decode(errors="replace")
        if "attached" not in line:
            self.process.kill()
            self.process.wait()
            skip_test(f"strace may not attach: {line.strip()}")
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)  # it detaches
        self.process.communicate(timeout=30)
        for line in self.path.read_text(errors="replace").splitlines():
            call = CALL.match(line)
            if call and int(call[1]) == self.pid:  # the loop's thread, not the watcher's
                self.calls[call[2]] += 1
        self.directory.cleanup()

    @property
    def count(self):
        return sum(self.calls.values())


def run_cli(endpoint, *arguments):
    """`tern cli` to its end; its replies are not kept."""
    done = subprocess.run([tern_path(), "cli", "-e", endpoint, *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=200,
                          stdin=subprocess.DEVNULL, check=False)
    check(done.returncode == 0, f"tern cli {arguments}", done.stderr)


def commands_processed(server):
    info = server.connect().raw("INFO", "stats").decode()
    return int(re.search(r"total_commands_processed:(\d+)", info)[1])


def a_ring_request_makes_no_call(server):
    # PING, SET, GET, ZADD and HSET in RESP3 and SBE by a client that polls, 0.1 s each.
    before = commands_processed(server)
    with Trace(server) as trace:
        code, _, errors = output_of([tern_path(), "lab", "quick", "--wait", "spin",
                                     "-e", f"ring:{server.unix_path}"])
    check(code == 0, "the lab runs", errors)
    request_count = commands_processed(server) - before
    check(request_count > 10_000, "the ring is quick enough to count", request_count)
    check(trace.count < SLACK + request_count / 50, "under 2 % of the requests", request_count,
          trace.calls)


def a_depth_one_request_makes_three(server):
    connection = server.connect()
    for _ in range(100):
        connection.raw("PING")
    request_count = 500
    with Trace(server) as trace:
        for _ in range(request_count):
            time.sleep(PAUSE_S)
            check(connection.raw("PING") == b"+PONG\r\n", "PING is answered")
    check(trace.count <= 3 * request_count + SLACK, "wait, read, write", trace.calls)


def a_batch_makes_no_more_than_one_request(server):
    connection = server.connect()
    connection.raw("PING")
    batch_count, batch = 200, b"*1\r\n$4\r\nPING\r\n" * 100
    with Trace(server) as trace:
        for _ in range(batch_count):
            time.sleep(PAUSE_S)
            connection.sock.sendall(batch)
            left = 100 * len(b"+PONG\r\n")
            while left:
                left -= len(connection.sock.recv(left))
    check(trace.count <= 3 * batch_count + SLACK, "wait, read, write", trace.calls)


def overwrites_map_nothing(server):
    ring = f"ring:{server.unix_path}"
    for length, request_count in ((1, 50_000), (200, 50_000), (4000, 10_000), (60_000, 2_000)):
        arguments = ("--sbe", "-r", str(request_count), "SET", "overwritten", "v" * length)
        run_cli(ring, "--sbe", "SET", "overwritten", "v" * length)
        with Trace(server) as trace:
            run_cli(ring, *arguments)
        # The ring itself is mapped when the client comes and unmapped when it leaves.
        mapped = sum(trace.calls[name] for name in MAPPING_CALLS)
        check(mapped <= 4, f"{request_count} SETs of {length} B map nothing", trace.calls)


def main():
    if shutil.which("strace") is None:
        skip_test("no strace")
    # Long enough to poll through the gaps that a busy machine makes in a client's stream.
    with Tern("--spin-us-max", "1000000") as server:
        for part in (a_ring_request_makes_no_call, overwrites_map_nothing):
            part(server)
            print(f"ok: {part.__name__}")
    # A loop that never polls: every request finds it asleep.
    with Tern("--spin-us-max", "0") as server:
        for part in (a_depth_one_request_makes_three, a_batch_makes_no_more_than_one_request):
            part(server)
            print(f"ok: {part.__name__}")


if __name__ == "__main__":
    main()
