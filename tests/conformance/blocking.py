"""Blocking pops over several connections: who is served, in which order, and with what.

A scenario is a list of lines, as they would be typed in several terminals:

    1> COMMAND ...      sends on connection 1 and reads the reply
    1! COMMAND ...      sends on connection 1, which is expected to block
    1<                  reads the reply that connection 1 was waiting for
    ?N                  waits until exactly N clients are blocked
    1-                  connection 1 closes without having been served
"""
import time

import compare
import corpus
from pair import show_reply
from resp import encode

SCENARIOS = {
    "served at once": """
        1> ZADD z 1 a 2 b 3 c
        1> BZPOPMIN z 0
        1> BZPOPMAX z 0
        1> BZMPOP 0 1 z MIN COUNT 5
        1> EXISTS z""",
    "first key that has members": """
        1> ZADD y 1 a
        1> ZADD z 1 b
        1> BZPOPMIN x y z 0
        1> BZPOPMAX x y z 0""",
    "first come, first served": """
        1! BZPOPMIN z 0
        ?1
        2! BZPOPMIN z 0
        ?2
        3! BZPOPMAX z 0
        ?3
        9> ZADD z 1 a 2 b 3 c 4 d
        1<
        2<
        3<
        9> ZRANGE z 0 -1""",
    "not enough for all": """
        1! BZPOPMIN z 0
        ?1
        2! BZPOPMIN z 0
        ?2
        9> ZADD z 1 a
        1<
        ?1
        9> ZADD z 2 b
        2<""",
    "several keys, one arrives": """
        1! BZPOPMIN x y z 0
        ?1
        9> ZADD y 5 m
        1<
        9> EXISTS x y z""",
    "the same key twice": """
        1! BZPOPMIN z z 0
        ?1
        9> ZADD z 1 a 2 b
        1<
        9> ZCARD z""",
    "pop of many": """
        1! BZMPOP 0 2 x z MAX COUNT 2
        ?1
        9> ZADD z 1 a 2 b 3 c
        1<
        9> ZRANGE z 0 -1 WITHSCORES""",
    "woken by rename": """
        1! BZPOPMIN z 0
        ?1
        9> ZADD other 1 a
        9> RENAME other z
        1<""",
    "woken by copy": """
        1! BZPOPMIN z 0
        ?1
        9> ZADD other 1 a
        9> COPY other z
        1<
        9> EXISTS other z""",
    "woken by store": """
        1! BZPOPMIN z 0
        ?1
        9> ZADD a 1 x
        9> ZADD b 2 y
        9> ZUNIONSTORE z 2 a b
        1<
        9> ZRANGE z 0 -1 WITHSCORES""",
    "woken by range store": """
        1! BZPOPMAX z 0
        ?1
        9> ZADD a 1 x 2 y
        9> ZRANGESTORE z a 0 -1
        1<""",
    "woken by increment": """
        1! BZPOPMAX z 0
        ?1
        9> ZINCRBY z 5 m
        1<""",
    "woken by move": """
        1> SELECT 3
        1! BZPOPMIN z 0
        ?1
        9> ZADD z 1 a
        9> MOVE z 3
        1<""",
    "woken by swapdb": """
        1> SELECT 5
        1! BZPOPMIN z 0
        ?1
        9> ZADD z 1 a
        9> SWAPDB 0 5
        1<""",
    "another type does not wake": """
        1! BZPOPMIN z 0
        ?1
        9> SET z text
        ?1
        9> DEL z
        9> ZADD z 1 a
        1<""",
    "another database does not wake": """
        1! BZPOPMIN z 0
        ?1
        9> SELECT 2
        9> ZADD z 1 a
        ?1
        9> SELECT 0
        9> ZADD z 1 b
        1<""",
    "added and removed in one pipeline": """
        1! BZPOPMIN z 0
        ?1
        9> ZADD z 1 a
        1<
        9> EXISTS z""",
    "times out": """
        1> BZPOPMIN z 0.02
        1> BZPOPMAX x z 0.02
        1> BZMPOP 0.02 2 x z MIN""",
    "timeout errors": """
        1> BZPOPMIN z -1
        1> BZPOPMIN z abc
        1> BZPOPMIN z
        1> BZPOPMIN z nan
        1> BZPOPMIN z inf
        1> BZPOPMIN z 9223372036854775807
        1> BZMPOP -1 1 z MIN
        1> BZMPOP abc 1 z MIN
        1> BZMPOP 0.01 0 z MIN
        1> BZMPOP 0.01 1 z WHAT
        1> BZMPOP 0.01 2 z MIN
        1> BZMPOP 0.01 1 z MIN COUNT 0
        1> BZMPOP 0.01 1 z MIN COUNT
        1> BZMPOP 0.01 1 z MIN COUNT 1 COUNT 2
        1> BZMPOP 0.01 abc z MIN
        1> BZMPOP 0.01 1 z""",
    "wrong type": """
        1> SET s text
        1> BZPOPMIN s 0.01
        1> BZPOPMIN z s 0.01
        1> BZMPOP 0.01 1 s MIN
        1> BZMPOP 0.01 2 z s MIN""",
    "unblocked by another client": """
        1> CLIENT SETNAME sleeper
        1! BZPOPMIN z 0
        ?1
        9> CLIENT UNBLOCK $1
        1<
        1! BZPOPMIN z 0
        ?1
        9> CLIENT UNBLOCK $1 ERROR
        1<
        1! BZPOPMIN z 0
        ?1
        9> CLIENT UNBLOCK $1 TIMEOUT
        1<
        9> CLIENT UNBLOCK $1
        9> CLIENT UNBLOCK 99999999
        9> CLIENT UNBLOCK abc
        9> CLIENT UNBLOCK $1 WHAT""",
    "leaves the queue when it closes": """
        1! BZPOPMIN z 0
        ?1
        2! BZPOPMIN z 0
        ?2
        1-
        ?1
        9> ZADD z 1 a
        2<""",
    "killed": """
        1! BZPOPMIN z 0
        ?1
        9> CLIENT KILL ID $1
        ?0
        9> ZADD z 1 a
        9> ZCARD z""",
    "a pipeline behind a blocked command waits": """
        1! BZPOPMIN z 0
        1! PING behind
        ?1
        9> ZADD z 1 a
        1<
        1<""",
    "flushed and filled again": """
        1! BZPOPMIN z 0
        ?1
        9> FLUSHALL
        ?1
        9> ZADD z 7 q
        1<""",
    "lists: first come, first served": """
        1! BLPOP l 0
        ?1
        2! BRPOP l 0
        ?2
        3! BLMPOP 0 2 x l LEFT COUNT 2
        ?3
        9> RPUSH l a b c d e
        1<
        2<
        3<
        9> LRANGE l 0 -1""",
    "lists: not enough for all": """
        1! BLPOP l 0
        ?1
        2! BLPOP l m 0
        ?2
        9> LPUSH l a
        1<
        ?1
        9> LPUSH m b
        2<""",
    "lists: pushed in one command": """
        1! BLPOP l 0
        ?1
        9> LPUSH l a b c
        1<
        9> LRANGE l 0 -1""",
    "lists: moved on": """
        1! BLMOVE a b RIGHT LEFT 0
        ?1
        2! BLMOVE b c LEFT RIGHT 0
        ?2
        3! BRPOP c 0
        ?3
        9> RPUSH a x
        1<
        2<
        3<
        9> EXISTS a b c""",
    "lists: in a circle": """
        1! BRPOPLPUSH a b 0
        ?1
        2! BRPOPLPUSH b a 0
        ?2
        9> RPUSH a x
        1<
        2<
        9> LRANGE a 0 -1
        9> LRANGE b 0 -1""",
    "lists: to itself": """
        1! BRPOPLPUSH a a 0
        ?1
        9> RPUSH a x
        1<
        9> LRANGE a 0 -1""",
    "lists: the destination is of another type": """
        9> SET b text
        1! BRPOPLPUSH a b 0
        ?1
        2! BLPOP a 0
        ?2
        9> RPUSH a x y
        1<
        2<
        9> LRANGE a 0 -1""",
    "lists: another type does not wake": """
        1! BLPOP l 0
        ?1
        9> ZADD l 1 a
        ?1
        9> DEL l
        9> SADD l a
        ?1
        9> DEL l
        9> RPUSH l b
        1<""",
    "lists and sorted sets wait for one key": """
        1! BLPOP k 0
        ?1
        2! BZPOPMIN k 0
        ?2
        9> ZADD k 1 a
        2<
        9> RPUSH k b
        1<""",
    "lists: woken by rename, copy and move": """
        1! BLPOP l 0
        ?1
        9> RPUSH other a
        9> RENAME other l
        1<
        1! BLPOP l 0
        ?1
        9> RPUSH other b
        9> COPY other l
        1<
        1> SELECT 3
        1! BLPOP other 0
        ?1
        9> MOVE other 3
        1<""",
    "lists: insert does not make a key": """
        1! BLPOP l 0
        ?1
        9> LPUSHX l a
        9> LINSERT l BEFORE a b
        ?1
        9> LPUSH l c
        1<""",
    "lists: time out": """
        1> BLPOP l 0.02
        1> BRPOP l m 0.02
        1> BLMPOP 0.02 1 l LEFT
        1> BLMOVE l m LEFT LEFT 0.02
        1> BRPOPLPUSH l m 0.02""",
    "lists: unblocked by another client": """
        1! BLMOVE l m LEFT LEFT 0
        ?1
        9> CLIENT UNBLOCK $1
        1<
        1! BLMPOP 0 1 l LEFT
        ?1
        9> CLIENT UNBLOCK $1 ERROR
        1<""",
    "expired key": """
        9> ZADD z 1 a
        9> PEXPIRE z 1
        9> DEBUG SLEEP 0.005
        1> BZPOPMIN z 0.02""",
}


class _Scenario:
    """One run of a scenario against one server."""

    def __init__(self, server, protocol):
        self.server, self.protocol = server, protocol
        self.links, self.ids, self.transcript = {}, {}, []
        self.watcher = server.connect()
        self.watcher.raw("FLUSHALL")

    def _link(self, name):
        if name not in self.links:
            link = self.server.connect(timeout=10.0)
            if self.protocol != 2:
                link.raw("HELLO", self.protocol)
            self.ids[name] = link.call("CLIENT", "ID")[1]
            self.links[name] = link
        return self.links[name]

    def _arguments(self, text):
        command = next(corpus.commands_of(text))
        return [self.ids.get(arg[1:].decode(), arg) if arg.startswith(b"$") else arg
                for arg in command]

    def _blocked_clients(self):
        for line in self.watcher.call("INFO", "clients")[1].split(b"\r\n"):
            if line.startswith(b"blocked_clients:"):
                return int(line[16:])
        return -1

    def _await_blocked(self, count):
        deadline = time.monotonic() + 5.0
        while self._blocked_clients() != count:
            if time.monotonic() > deadline:
                self.transcript.append(
                    (f"?{count}", [b"?"], f"{self._blocked_clients()} clients blocked"))
                return
            time.sleep(0.002)

    def run(self, text):
        for line in text.split("\n"):
            line = line.strip()
            if line:
                self._step(line)
        for link in self.links.values():
            link.close()
        self._await_blocked(0)
        self.watcher.close()
        return self.transcript

    def _step(self, line):
        if line[0] == "?":
            self._await_blocked(int(line[1:]))
            return
        name, act, rest = line[0], line[1], line[2:].strip()
        link = self._link(name)
        if act == "-":
            link.close()
            del self.links[name]
            return
        args = self._arguments(rest) if rest else [b"(blocked)"]
        if act in ">!":
            link.send(encode(args))
        if act in "><":
            try:
                reply = link.receive()
            except Exception as problem:  # pylint: disable=broad-except
                reply = f"no reply: {type(problem).__name__}"
            self.transcript.append((line, args if act == ">" else [b"BZPOPMIN"], reply))


def _same(args, left, right):
    """What is no reply at all is text, and equals itself only."""
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    return compare.same(args, left, right)


def run(reference, subject):
    """True when every scenario went the same way under both protocols."""
    differences = 0
    for name, text in SCENARIOS.items():
        for protocol in (2, 3):
            expected = _Scenario(reference, protocol).run(text)
            actual = _Scenario(subject, protocol).run(text)
            for (line, args, left), (_, _, right) in zip(expected, actual):
                if not _same(args, left, right):
                    differences += 1
                    print(f"DIFFERS scenario '{name}', RESP{protocol}, at {line}\n"
                          f"  reference {show_reply(left)}\n  ours      {show_reply(right)}")
                    break
            else:
                if len(expected) != len(actual):
                    differences += 1
                    print(f"DIFFERS scenario '{name}', RESP{protocol}: {actual[-1]!r}")
    print(f"{len(SCENARIOS)} blocking scenarios, {differences} differ")
    return differences == 0
