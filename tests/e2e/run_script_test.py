#!/usr/bin/env python3
"""./run: serves, measures itself, prints the table, goes on serving, ends by Ctrl-C."""
import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import Connection, check, free_port, tern_path

RUN = Path(__file__).resolve().parent.parent.parent / "run"


def start(directory, *arguments):
    environment = dict(os.environ, TERN_PROGRAM=tern_path(), TERN_RUN_DIR=directory)
    # A session of its own, so that a Ctrl-C reaches script and server as a terminal's does.
    return subprocess.Popen([str(RUN), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL, env=environment, start_new_session=True)


def read_until(process, text, timeout_s=180):
    data, deadline = b"", time.monotonic() + timeout_s
    while text not in data and time.monotonic() < deadline:
        if select.select([process.stdout], [], [], 0.2)[0]:
            more = os.read(process.stdout.fileno(), 4096)
            if not more:
                break
            data += more
    return data


def serves_and_measures(directory):
    port = free_port()
    process = start(directory, "--listen", f"tcp:127.0.0.1:{port}")
    try:
        out = read_until(process, b"Ctrl-C ends it").decode()
        check("Ctrl-C ends it" in out, "the script comes to its end", out,
              process.stderr.read().decode()[-2000:] if process.poll() is not None else "")
        for word in ("PING", "SET", "GET", "ZADD", "HSET", "p50", "p99", "ring", "unix", "tcp"):
            check(word in out, f"the table holds {word}", out)
        check(Connection(port).raw("PING") == b"+PONG\r\n", "it goes on serving")
        os.killpg(process.pid, signal.SIGINT)
        check(process.wait(20) == 0, "Ctrl-C ends it cleanly", process.returncode)
        check(not os.path.exists(os.path.join(directory, "tern.sock")), "nothing is left behind")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def port_in_use(directory):
    port = free_port()
    with tempfile.TemporaryDirectory() as other:
        first = start(other, "--listen", f"tcp:127.0.0.1:{port}")
        try:
            check(b"Ctrl-C" in read_until(first, b"Ctrl-C ends it"), "the first one serves")
            second = start(directory, "--listen", f"tcp:127.0.0.1:{port}")
            out, err = second.communicate(timeout=60)
            check(second.returncode != 0, "the second is refused", second.returncode, out, err)
            check(b"p50" not in out, "nothing is measured", out)
            lines = err.decode().strip().splitlines()
            check(len(lines) == 1 and str(port) in lines[0] and "--listen" in lines[0],
                  "one line names the address and the option", lines)
        finally:
            os.killpg(first.pid, signal.SIGTERM)
            check(first.wait(20) == 0, "SIGTERM ends it cleanly", first.returncode)


def main():
    for part in (serves_and_measures, port_in_use):
        with tempfile.TemporaryDirectory() as directory:
            part(directory)
        print(f"ok: {part.__name__}")


if __name__ == "__main__":
    main()
