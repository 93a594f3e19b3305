"""Starts and stops the servers under comparison on free ports of 127.0.0.1."""
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from resp import Connection

SKIPPED = 77  # ctest's SKIP_RETURN_CODE for our entries
COMMON = ["--save", "", "--appendonly", "no", "--enable-debug-command", "yes"]


def skip_test(reason):
    """Ends the program as skipped."""
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def free_port():
    """A TCP port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


_libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Run in the child: a test that is killed at its time-out leaves no server behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A running server; use it as a context manager."""

    def __init__(self, name, command, port, directory):
        self.name = name
        self.port = port
        self.directory = directory
        self.log_path = os.path.join(directory, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL, cwd=directory,
                                            preexec_fn=die_with_parent)

    def connect(self, **options):
        return Connection(self.port, **options)

    def log_tail(self, lines=20):
        with open(self.log_path, "r", errors="replace") as log:
            return "".join(log.readlines()[-lines:])

    def wait_until_ready(self, timeout_s=30.0):
        deadline = time.monotonic() + timeout_s
        while True:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.returncode} at start:\n"
                                   + self.log_tail())
            try:
                connection = Connection(self.port, timeout=2.0)
                answer = connection.raw("PING")
                connection.close()
                if answer == b"+PONG\r\n":
                    return self
            except OSError:
                pass
            if time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.name} does not answer on port {self.port}:\n"
                                   + self.log_tail())
            time.sleep(0.02)

    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends the server and gives its exit code; it gets ten seconds to go by itself."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


def start_redis(extra=(), binary=None):
    """Debian's redis-server (or another one), or a skip when there is none."""
    binary = binary or shutil.which("redis-server")
    if not binary:
        skip_test("redis-server is not installed")
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", *COMMON, *extra]
    return Server("redis-server", command, port,
                  tempfile.mkdtemp(prefix="tern-redis-")).wait_until_ready()


def start_tern(binary, extra=()):
    """`tern serve` of the given executable, or a skip when it does not exist."""
    if not binary or not os.access(binary, os.X_OK):
        skip_test(f"no tern executable at {binary}")
    port = free_port()
    command = [os.path.abspath(binary), "serve", "--listen", f"tcp:127.0.0.1:{port}",
               *COMMON, *extra]
    return Server("tern serve", command, port,
                  tempfile.mkdtemp(prefix="tern-serve-")).wait_until_ready()
