"""A raw RESP client: it keeps the bytes of each reply, since those are what gets compared.

Values are pairs (type, payload) where type is the RESP type byte as a one-character string:
aggregates hold lists (maps flat, in the order sent), everything else bytes. A null of RESP2 keeps
its type with payload None, so that `$-1`, `*-1` and `_` stay different.
"""
import socket

AGGREGATES = b"*~>%|"


def encode(args):
    """One command as a RESP array of bulk strings."""
    parts = [b"*%d\r\n" % len(args)]
    for arg in args:
        parts.append(b"$%d\r\n%b\r\n" % (len(arg), arg))
    return b"".join(parts)


class Incomplete(Exception):
    """The buffer ends inside a reply."""


class Malformed(Exception):
    """The bytes are not RESP."""


def _line(buffer, start):
    end = buffer.find(b"\r\n", start)
    if end < 0:
        raise Incomplete
    return end


def skip(buffer, start=0):
    """The offset behind the reply that begins at `start`."""
    pending = 1
    while pending:
        pending -= 1
        end = _line(buffer, start)
        kind = buffer[start]
        if kind in b"$=!":
            length = int(buffer[start + 1:end])
            start = end + 2
            if length >= 0:
                if len(buffer) < start + length + 2:
                    raise Incomplete
                if buffer[start + length:start + length + 2] != b"\r\n":
                    raise Malformed(f"bulk of {length} bytes without CRLF behind it")
                start += length + 2
        elif kind in AGGREGATES:
            count = int(buffer[start + 1:end])
            if kind == 37:  # '%': pairs
                count *= 2
            elif kind == 124:  # '|': pairs, and the value they annotate
                count = count * 2 + 1
            pending += max(count, 0)
            start = end + 2
        elif kind in b"+-:_,#(":
            start = end + 2
        else:
            raise Malformed(f"reply begins with {buffer[start:start + 16]!r}")
    return start


def parse(buffer, start=0):
    """(value, offset behind it) of the reply at `start`, which is complete."""
    end = _line(buffer, start)
    kind = chr(buffer[start])
    head = bytes(buffer[start + 1:end])
    start = end + 2
    if kind in "$=!":
        length = int(head)
        if length < 0:
            return (kind, None), start
        return (kind, bytes(buffer[start:start + length])), start + length + 2
    if kind in "*~>%":
        count = int(head)
        if count < 0:
            return (kind, None), start
        items = []
        for _ in range(count * 2 if kind == "%" else count):
            item, start = parse(buffer, start)
            items.append(item)
        return (kind, items), start
    return (kind, None if kind == "_" else head), start


def parse_raw(raw):
    """The value of one whole reply."""
    return parse(raw)[0]


class Closed(Exception):
    """The server closed the connection; `partial` is what was left unparsed."""

    def __init__(self, partial):
        super().__init__(f"connection closed with {bytes(partial[:80])!r} pending")
        self.partial = partial


class Connection:
    """One blocking connection; replies come back as raw bytes, one object per reply."""

    def __init__(self, port, host="127.0.0.1", timeout=20.0):
        self.sock = socket.create_connection((host, port), timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()

    def send(self, data):
        self.sock.sendall(data)

    def receive(self):
        """The raw bytes of the next reply."""
        while True:
            try:
                if self.buffer:
                    end = skip(self.buffer)
                    raw = bytes(self.buffer[:end])
                    del self.buffer[:end]
                    return raw
            except Incomplete:
                pass
            self._fill()

    def _fill(self):
        data = self.sock.recv(1 << 16)
        if not data:
            raise Closed(self.buffer)
        self.buffer += data

    def receive_many(self, count):
        """The raw bytes of the next `count` replies, parsed with one pass over the buffer."""
        replies = []
        start = 0
        while len(replies) < count:
            try:
                if start == len(self.buffer):
                    raise Incomplete
                end = skip(self.buffer, start)
                replies.append(bytes(self.buffer[start:end]))
                start = end
            except Incomplete:
                del self.buffer[:start]
                start = 0
                self._fill()
        del self.buffer[:start]
        return replies

    def raw(self, *args):
        """Sends one command and returns the raw reply."""
        self.send(encode([a if isinstance(a, bytes) else str(a).encode() for a in args]))
        return self.receive()

    def call(self, *args):
        """Sends one command and returns the parsed reply."""
        return parse_raw(self.raw(*args))

    def read_to_end(self):
        """Everything that arrives until the server closes, raw."""
        data = bytes(self.buffer)
        self.buffer.clear()
        while True:
            more = self.sock.recv(1 << 16)
            if not more:
                return data
            data += more

    def close(self):
        self.sock.close()
