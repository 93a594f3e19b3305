"""The harness must fail when a server errs: redis-server behind a proxy that makes it err.

Each mutation rewrites one byte string on its way to or from the server. The random run has to
notice it, and to shrink what it found to a handful of commands.
"""
import contextlib
import io
import re
import socket
import threading

import differences_7_2
import random_run
from servers import start_redis

# (name, direction, from, to, commands that the shortest sequence may have at most)
MUTATIONS = [
    ("GETDEL forgets to delete", "request", b"$6\r\nGETDEL\r\n", b"$3\r\nGET\r\n", 4),
    ("PERSIST answers like EXISTS", "request", b"$7\r\nPERSIST\r\n", b"$6\r\nEXISTS\r\n", 2),
    ("an error text loses a word", "reply", b"-ERR syntax error\r\n", b"-ERR syntax\r\n", 2),
    ("a null becomes empty", "reply", b"$-1\r\n", b"$0\r\n\r\n", 2),
]


class Proxy:
    """Forwards connections to a port and replaces one byte string in one direction."""

    def __init__(self, target_port, direction, old, new):
        self.target_port, self.direction, self.old, self.new = target_port, direction, old, new
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.name = "mutated redis-server"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target_port))
                for source, sink, mutates in ((client, server, self.direction == "request"),
                                              (server, client, self.direction == "reply")):
                    threading.Thread(target=self._pump, args=(source, sink, mutates),
                                     daemon=True).start()

    def _pump(self, source, sink, mutates):
        held = b""
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if mutates:
                    data = (held + data).replace(self.old, self.new)
                    # What may be the beginning of the string waits for its end.
                    keep = next((n for n in range(len(self.old) - 1, 0, -1)
                                 if data.endswith(self.old[:n])), 0)
                    held = data[len(data) - keep:] if keep and not self._is_whole(data) else b""
                    data = data[:len(data) - len(held)]
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    @staticmethod
    def _is_whole(data):
        """Requests and replies end with CRLF: then nothing is cut and nobody need wait."""
        return data.endswith(b"\r\n")

    def is_alive(self):
        return True

    def connect(self, **options):
        from resp import Connection  # pylint: disable=import-outside-toplevel
        return Connection(self.port, **options)

    def close(self):
        self.listener.close()


def _shortest_length(report):
    found = re.search(r"shortest failing sequence \((\d+) commands", report)
    return int(found.group(1)) if found else None


def run():
    """True when every mutation was noticed and shrunk."""
    good = True
    differences_7_2.subject_is_7_2 = False
    with start_redis() as reference, start_redis() as behind:
        for name, direction, old, new, at_most in MUTATIONS:
            proxy = Proxy(behind.port, direction, old, new)
            report = io.StringIO()
            with contextlib.redirect_stdout(report):
                agreed = random_run.run(reference, proxy, "tern-mutation", 5000)
            proxy.close()
            length = _shortest_length(report.getvalue())
            noticed = not agreed and length is not None and length <= at_most
            print(f"{'caught' if noticed else 'MISSED'}: {name}"
                  + (f", shrunk to {length} commands" if length else ""))
            if not noticed:
                print(report.getvalue())
            good &= noticed
    return good
