"""Two servers driven in step: the reference and the one under test.

A sequence is a list of commands, each a list of byte strings. Three names are not commands but acts
of the harness: `!sleep MS` waits, `!scan CMD ...` runs a cursor to its end and compares the set of
what it returned, `!protocol N` says HELLO N on fresh connections.
"""
import time

import compare
from resp import Closed, Malformed, encode, parse_raw

BATCH = 64


class Mismatch(Exception):
    """The servers disagree about command number `index`."""

    def __init__(self, index, args, expected, actual, why=""):
        super().__init__(f"step {index}: {show_command(args)}")
        self.index, self.args_bytes = index, args
        self.expected, self.actual, self.why = expected, actual, why

    def describe(self):
        text = [f"  command   {show_command(self.args_bytes)}",
                f"  reference {show_reply(self.expected)}",
                f"  ours      {show_reply(self.actual)}"]
        if self.why:
            text.append(f"  because   {self.why}")
        return "\n".join(text)


def show_reply(raw, limit=600):
    text = repr(raw)[1:] if isinstance(raw, bytes) else str(raw)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(raw)} bytes)"


def show_arg(arg):
    """An argument as a corpus file or redis-cli would take it."""
    text = arg.decode("latin-1")
    if text and all(33 <= byte < 127 and byte not in b"\"'\\#{}|" for byte in arg):
        return text if len(text) < 200 else f"<{len(text)} bytes {text[:20]}…>"
    return '"' + "".join(
        c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\x{ord(c):02x}" if c not in '"\\'
        else "\\" + c for c in text[:200]) + ("…" if len(text) > 200 else "") + '"'


def show_command(args):
    return " ".join(map(show_arg, args))


class Pair:
    """One connection to each server."""

    def __init__(self, reference, subject):
        self.servers = (reference, subject)
        self.protocol = 2
        self.links = None
        self.tolerated = None  # a list: disagreements are noted there instead of raised
        self.connect()

    def connect(self):
        self.close()
        self.links = tuple(server.connect() for server in self.servers)
        if self.protocol != 2:
            for link in self.links:
                link.raw("HELLO", self.protocol)

    def close(self):
        if self.links:
            for link in self.links:
                link.close()

    def reset(self, protocol):
        """Fresh connections and no keys in any database."""
        self.protocol = protocol
        self.connect()
        for link in self.links:
            link.raw("FLUSHALL")

    def run_through(self, sequence):
        """Runs a sequence to its end and returns every Mismatch on the way."""
        self.tolerated = []
        try:
            self.run(sequence)
        except Mismatch as mismatch:  # a lost connection: nothing behind it can be compared
            self.tolerated.append(mismatch)
        found, self.tolerated = self.tolerated, None
        return found

    def _disagree(self, mismatch):
        if self.tolerated is None:
            raise mismatch
        self.tolerated.append(mismatch)

    def run(self, sequence):
        """Runs a sequence; raises Mismatch at the first disagreement."""
        batch, first = [], 0
        for index, args in enumerate(sequence):
            if args[0].startswith(b"!"):
                self._flush(batch, first)
                batch, first = [], index + 1
                self._act(index, args)
                continue
            batch.append(args)
            if len(batch) == BATCH:
                self._flush(batch, first)
                batch, first = [], index + 1
        self._flush(batch, first)

    def _act(self, index, args):
        if args[0] == b"!sleep":
            time.sleep(int(args[1]) / 1000)
        elif args[0] == b"!scan":
            self._scan(index, args)
        elif args[0] == b"!protocol":
            self.protocol = int(args[1])
            self.connect()
        else:
            raise ValueError(f"no such act: {args[0]!r}")

    def _flush(self, batch, first):
        if not batch:
            return
        # A random pick is judged by a listing of what it may pick from, asked for right behind it.
        expanded, owners = [], []
        for offset, args in enumerate(batch):
            expanded.append(args)
            owners.append(first + offset)
            if args[0].upper() in compare.RANDOM_PICKS:
                expanded.append(compare.listing_for(args))
                owners.append(first + offset)
        data = b"".join(map(encode, expanded))
        for link in self.links:
            link.send(data)
        replies = [self._receive(which, expanded, owners) for which in (0, 1)]
        at = 0
        for offset, args in enumerate(batch):
            expected, actual = replies[0][at], replies[1][at]
            at += 1
            if not compare.same(args, expected, actual):
                self._disagree(Mismatch(first + offset, args, expected, actual))
            if args[0].upper() in compare.RANDOM_PICKS:
                why = compare.valid_pick(args, parse_raw(actual), parse_raw(replies[1][at]))
                at += 1
                if why:
                    self._disagree(Mismatch(first + offset, args, expected, actual, why))

    def _receive(self, which, expanded, owners):
        replies = []
        try:
            for _ in expanded:
                replies.append(self.links[which].receive())
        except (Closed, Malformed, OSError) as problem:
            at = len(replies)
            raise Mismatch(owners[at], expanded[at], b"(a reply)", b"(none)",
                           f"{self.servers[which].name}: {problem}") from problem
        return replies

    def _scan(self, index, args):
        """`!scan SCAN opts…` or `!scan HSCAN key opts…`: the union over all cursors."""
        command = args[1:]
        place = 1 if command[0].upper() == b"SCAN" else 2
        found = []
        for link in self.links:
            found.append(self._scan_one(link, command, place))
        if found[0] != found[1]:
            self._disagree(Mismatch(index, command, repr(found[0]), repr(found[1]),
                                    "a complete scan returned different elements"))

    @staticmethod
    def _scan_one(link, command, place):
        cursor, seen, rounds = b"0", set(), 0
        pairs = command[0].upper() not in (b"SCAN", b"SSCAN")
        while True:
            kind, items = link.call(*command[:place], cursor, *command[place:])
            if kind == "-":
                return items
            cursor = items[0][1]
            elements = [item[1] for item in items[1][1]]
            if command[0].upper() == b"ZSCAN":  # 7.0 and 7.2 print scores in different forms
                elements = [float(e) if i % 2 else e for i, e in enumerate(elements)]
            seen.update(zip(elements[::2], elements[1::2]) if pairs else elements)
            rounds += 1
            if cursor == b"0":
                return seen
            if rounds > 100_000:
                return "a cursor that never comes back to 0"


def fails(pair, sequence, protocol):
    """The Mismatch of a sequence run on fresh state, or None."""
    pair.reset(protocol)
    try:
        pair.run(sequence)
    except Mismatch as mismatch:
        return mismatch
    return None


def shrink(pair, sequence, protocol, budget_s=60.0):
    """The shortest sequence found that still fails, by delta debugging, and its Mismatch."""
    deadline = time.monotonic() + budget_s
    best = fails(pair, sequence, protocol)
    if best is None:
        return sequence, None
    sequence = sequence[:best.index + 1]
    chunk = max(len(sequence) // 2, 1)
    while time.monotonic() < deadline:
        start, removed = 0, False
        while start < len(sequence) and time.monotonic() < deadline:
            candidate = sequence[:start] + sequence[start + chunk:]
            mismatch = fails(pair, candidate, protocol) if candidate else None
            if mismatch:
                best, removed = mismatch, True
                sequence = candidate[:mismatch.index + 1]
            else:
                start += chunk
        if chunk == 1 and not removed:
            break
        chunk = max(chunk // 2, 1)
    return sequence, best
