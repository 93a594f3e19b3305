"""What the end-to-end tests share: a running `tern serve`, checks, and skips with a reason."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))

from resp import Connection  # noqa: E402  pylint: disable=wrong-import-position
from servers import (COMMON, die_with_parent, free_port,  # noqa: E402,F401
                     skip_test)

__all__ = ["Connection", "Tern", "check", "free_port", "output_of", "skip_test", "tern_path"]


def tern_path():
    """The executable under test: the first argument of the script."""
    path = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
    if not os.access(path, os.X_OK):
        skip_test(f"no tern executable at {path}")
    return path


def check(condition, what, *seen):
    """Ends the test unless `condition` holds; `seen` is printed with it."""
    if not condition:
        print(f"FAILED: {what}")
        for item in seen:
            print(f"  {item!r}")
        sys.exit(1)


def output_of(command, stdin=b"", timeout_s=60):
    """(exit code, stdout, stderr) of a command."""
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=timeout_s, check=False)
    return done.returncode, done.stdout, done.stderr


class Tern:
    """`tern serve` on a free TCP port and a Unix socket; a context manager."""

    def __init__(self, *extra, listen=True, common=True, first=(),
                 before_exec=None):
        self.directory = tempfile.TemporaryDirectory(prefix="tern-e2e-")
        self.port = free_port()
        self.unix_path = os.path.join(self.directory.name, "tern.sock")
        command = [tern_path(), "serve", *first]
        if listen:
            command += ["--listen", f"tcp:127.0.0.1:{self.port}",
                        "--listen", f"unix:{self.unix_path}"]
        self.log_path = os.path.join(self.directory.name, "log")

        def prepare():
            die_with_parent()
            if before_exec:
                before_exec()

        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([*command, *(COMMON if common else ()), *extra],
                                            stdout=log, stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL, cwd=self.directory.name,
                                            preexec_fn=prepare)
        self._await()

    def log(self):
        return Path(self.log_path).read_text(errors="replace")

    def _await(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            check(self.process.poll() is None, "tern serve starts", self.process.returncode,
                  self.log())
            try:
                if self.connect().raw("PING") == b"+PONG\r\n":
                    return
            except OSError:
                time.sleep(0.02)
        check(False, f"tern serve answers on port {self.port}", self.log())

    def connect(self, **options):
        return Connection(self.port, **options)

    def stop(self, how=signal.SIGTERM):
        """The exit code after a signal."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        alive = self.process.poll() is None
        code = self.stop()
        log = self.log()
        self.directory.cleanup()
        if kind is None and alive:
            check(code == 0, "the server ends cleanly on SIGTERM", code, log)
