"""Random commands from templates, with small pools so that they meet.

A template is a line such as `SET <key> <value> [NX|XX] [GET]`: <name> draws from a pool below,
[a|b] is one of the alternatives or none, {a|b} exactly one, and a `+` behind any of the three
repeats it one to three times. The number in front is its weight.
"""
import random

# Scores of the k keys are dyadic, so that sums do not depend on the order of addition, which redis
# leaves to a sort by cardinality; the w keys take any score, and aggregate at most two at a time.
PLAIN_KEYS = [b"k%d" % i for i in range(8)]
# Most commands look among the keys that mostly hold their type; the rest meet the wrong one.
HOME_KEYS = {"string": PLAIN_KEYS[:3], "hash": PLAIN_KEYS[3:5], "zset": PLAIN_KEYS[5:],
             "set": [b"s0", b"s1", b"s2"], "list": [b"t0", b"t1"],
             "stream": [b"x0", b"x1"]}
WILD_KEYS = [b"w0", b"w1", b"w2"]
# Lex ranges are defined for equal scores only (elsewhere redis's answer hangs on its dice).
LEX_KEYS = [b"l0", b"l1"]
FIELDS = [b"f%d" % i for i in range(12)] + [b"", b"\x00bin\xff"]
MEMBERS = [b"a", b"b", b"c", b"d", b"e", b"aa", b"ab", b"b1", b"", b"\xff\x00", b"10", b"9",
           b"Zed", b"zebra", b"m" * 70]
DYADIC = [b"0", b"1", b"2", b"3", b"-1", b"-5", b"1.5", b"0.25", b"-2.75", b"100", b"1e3", b"inf",
          b"-inf", b"+inf", b"4096"]
WILD = DYADIC + [b"0.1", b"3.14159", b"1e17", b"1e20", b"-1e20", b"1e-7", b"5e-324", b"1.7e308",
                 b"123456.789012345", b"-0", b"0x10", b"9007199254740993", b"1e22", b"0.00001"]
INTEGERS = [b"0", b"1", b"-1", b"2", b"3", b"5", b"10", b"-10", b"100", b"9223372036854775807",
            b"-9223372036854775808", b"-9223372036854775807"]
VALUES = [b"", b"x", b"hello", b"0", b"1", b"-7", b"42", b"10000", b"3.5", b"9223372036854775807",
          b"-9223372036854775808", b"01", b" 1", b"1 ", b"+1", b"\x00\r\n\xff", b"e" * 44,
          b"r" * 45, b"l" * 64, b"L" * 65, b"big" * 400, b"1e3", b"nan", b"inf", b"0x1f"]
FLOATS = [b"0", b"1", b"-1", b"0.1", b"0.5", b"-3.25", b"1e3", b"3.0e-3", b"1e17", b"5.0", b"inf",
          b"1e308", b"123456789.123456789", b"nan", b"0.30000000000000004"]
PATTERNS = [b"*", b"k*", b"?1", b"k[0-3]", b"f*", b"[^f]*", b"*b*", b"", b"k\\*", b"a?", b"[a-c]",
            b"w[", b"**1", b"[z-a]"]
LEX = [b"-", b"+", b"[a", b"(a", b"[b", b"(b", b"[b1", b"[c", b"(e", b"[", b"(", b"[zz"]
BOUNDS = [b"-inf", b"+inf", b"inf", b"0", b"1", b"(1", b"(0", b"2", b"(3", b"-5", b"(-2.75", b"100",
          b"(inf", b"1.5", b"(1.5"]
INDEXES = [b"0", b"-1", b"1", b"2", b"-2", b"3", b"-3", b"5", b"100", b"-100"]
JUNK = [b"", b"abc", b"1.5x", b"NX", b"WITHSCORES", b"LIMIT", b"-1", b"0", b"9223372036854775808",
        b"nan", b"\x00", b"(", b"[", b"*", b"GET", b"WEIGHTS"]
TYPES = [b"string", b"hash", b"zset", b"list", b"set", b"stream", b"STRING"]

TEMPLATES = """
40 SET <key> <value> [NX|XX] [GET] [EX <ttl>|PX <pttl>|EXAT <at>|PXAT <pat>|KEEPTTL]
10 GET <key>
 4 GETDEL <key>
 4 GETEX <key> [EX <ttl>|PX <pttl>|EXAT <at>|PXAT <pat>|PERSIST]
 4 GETSET <key> <value>
 4 SETNX <key> <value>
 3 SETEX <key> <ttl> <value>
 3 PSETEX <key> <pttl> <value>
 6 MGET <key>+
 4 MSET {<key> <value>}+
 3 MSETNX {<key> <value>}+
 8 APPEND <key> <value>
 5 STRLEN <key>
 5 GETRANGE <key> <index> <index>
 2 SUBSTR <key> <index> <index>
 5 SETRANGE <key> <offset> <value>
 6 INCR <key>
 4 DECR <key>
 6 INCRBY <key> <integer>
 4 DECRBY <key> <integer>
 6 INCRBYFLOAT <key> <float>
 4 LCS <key> <key> [LEN|IDX [MINMATCHLEN <small>] [WITHMATCHLEN]]
 8 SETBIT <key> <bit> {0|1}
 4 GETBIT <key> <bit>
 5 BITCOUNT <key> [<index> <index>|<wide> <wide> BIT|<index> <index> BYTE]
 5 BITPOS <key> {0|1} [<index>|<index> <index>|<wide> <wide> BIT]
 6 BITOP {AND|OR|XOR} <key> <key>+
 3 BITOP NOT <key> <key>
 8 BITFIELD <key> {<fieldread>|[OVERFLOW {WRAP|SAT|FAIL}] <fieldwrite>}+
 3 BITFIELD_RO <key> <fieldread>+
12 PFADD <log> <logelement>+
 4 PFADD <log> <manyelements>
 6 PFCOUNT <log>
 3 PFCOUNT <log>+
 4 PFMERGE <log> <log>+
 6 GET <log>
 1 PFDEBUG {TODENSE|ENCODING|DECODE} <log>
 1 DEL <log>
 1 {PFADD|PFCOUNT|PFMERGE} <key> <log>
30 HSET <key> {<field> <value>}+
 3 HMSET <key> {<field> <value>}+
 5 HSETNX <key> <field> <value>
 8 HGET <key> <field>
 5 HMGET <key> <field>+
 6 HGETALL <key>
 4 HKEYS <key>
 4 HVALS <key>
 4 HLEN <key>
 4 HEXISTS <key> <field>
 4 HSTRLEN <key> <field>
10 HDEL <key> <field>+
 6 HINCRBY <key> <field> <integer>
 6 HINCRBYFLOAT <key> <field> <float>
 5 HRANDFIELD <key>
 5 HRANDFIELD <key> <pick> [WITHVALUES]
40 ZADD <key> [NX|XX] [GT|LT] [CH] {<score> <member>}+
 8 ZADD <key> [NX|XX|GT|LT] INCR <score> <member>
 8 ZINCRBY <key> <score> <member>
12 ZREM <key> <member>+
 6 ZSCORE <key> <member>
 5 ZMSCORE <key> <member>+
 5 ZCARD <key>
 5 ZCOUNT <key> <bound> <bound>
 5 ZLEXCOUNT <equal> <lex> <lex>
12 ZADD <equal> [CH] {0 <member>}+
 4 ZREM <equal> <member>
 3 DEL <equal>
 4 {ZSCORE|ZRANK} <equal> <member>
 6 {ZRANK|ZREVRANK} <key> <member>
12 ZRANGE <key> <index> <index> [REV] [WITHSCORES]
 8 ZRANGE <key> <bound> <bound> BYSCORE [REV] [LIMIT <offset> <limit>] [WITHSCORES]
 6 ZRANGE <equal> <lex> <lex> BYLEX [REV] [LIMIT <offset> <limit>]
 4 ZREVRANGE <key> <index> <index> [WITHSCORES]
 4 {ZRANGEBYSCORE|ZREVRANGEBYSCORE} <key> <bound> <bound> [WITHSCORES] [LIMIT <offset> <limit>]
 4 {ZRANGEBYLEX|ZREVRANGEBYLEX} <equal> <lex> <lex> [LIMIT <offset> <limit>]
 4 ZRANGESTORE <key> <key> <index> <index> [REV]
 3 ZRANGESTORE <key> <key> <bound> <bound> BYSCORE [REV] [LIMIT <offset> <limit>]
 3 ZRANGESTORE <equal> <equal> <lex> <lex> BYLEX [REV] [LIMIT <offset> <limit>]
 3 ZREMRANGEBYRANK <key> <index> <index>
 3 ZREMRANGEBYSCORE <key> <bound> <bound>
 3 ZREMRANGEBYLEX <equal> <lex> <lex>
 4 {ZPOPMIN|ZPOPMAX} <key> [<small>]
 4 ZMPOP 2 <key> <key> {MIN|MAX} [COUNT <small>]
 3 {BZPOPMIN|BZPOPMAX} <key> 0.01
 2 BZMPOP 0.01 1 <key> {MIN|MAX} [COUNT <small>]
 4 {ZUNION|ZINTER} 2 <key> <key> [WEIGHTS <weight> <weight>] [AGGREGATE {SUM|MIN|MAX}] [WITHSCORES]
 3 {ZUNION|ZINTER} 3 <plain> <plain> <plain> [AGGREGATE {SUM|MIN|MAX}] [WITHSCORES]
 3 ZDIFF {1 <key>|2 <key> <key>|3 <key> <key> <key>} [WITHSCORES]
 4 {ZUNIONSTORE|ZINTERSTORE} <wild> 2 <key> <key> [WEIGHTS <weight> <weight>] [AGGREGATE <how>]
 3 {ZUNIONSTORE|ZINTERSTORE} <plain> 3 <plain> <plain> <plain> [AGGREGATE {SUM|MIN|MAX}]
 3 ZDIFFSTORE <wild> 2 <key> <key>
 3 ZINTERCARD 2 <key> <key> [LIMIT <small>]
 4 ZRANDMEMBER <key>
 4 ZRANDMEMBER <key> <pick> [WITHSCORES]
20 SADD <key> <element>+
 6 SADD <key> <integer>+
 8 SREM <key> <element>+
 6 SMEMBERS <key>
 5 SISMEMBER <key> <element>
 4 SMISMEMBER <key> <element>+
 4 SCARD <key>
 2 SPOP <key> {0|-1|500}
 1 SPOP none
 4 SRANDMEMBER <key>
 4 SRANDMEMBER <key> <pick>
 5 SMOVE <key> <key> <element>
 6 {SINTER|SUNION|SDIFF} <key>+
 5 {SINTERSTORE|SUNIONSTORE|SDIFFSTORE} <key> <key>+
 4 SINTERCARD {1 <key>|2 <key> <key>} [LIMIT <small>]
 3 !scan SSCAN <key> [MATCH <pattern>] [COUNT <count>]
 3 OBJECT ENCODING <setkey>
 3 {ZUNION|ZINTER} 2 <setkey> <zsetkey> [WEIGHTS <weight> <weight>] WITHSCORES
 2 {ZUNIONSTORE|ZINTERSTORE} <plain> 2 <setkey> <zsetkey> [AGGREGATE {SUM|MIN|MAX}]
 2 ZDIFF 2 <zsetkey> <setkey>
 2 ZDIFF 2 <setkey> <zsetkey> WITHSCORES
 2 ZINTERCARD 2 <setkey> <zsetkey>
 3 SADD big-set <manyfieldnames>
 2 SREM big-set <manyfieldnames>
 1 SMEMBERS big-set
 2 SRANDMEMBER big-set <pick>
 2 {SINTERSTORE|SUNIONSTORE|SDIFFSTORE} big-set2 big-set <setkey>
 1 {SINTER|SUNION|SDIFF} big-set big-set2
 2 !scan SSCAN big-set [MATCH <pattern>] [COUNT <count>]
 1 OBJECT ENCODING {big-set|big-set2}
 8 DEL <key>+
 4 UNLINK <key>+
 5 EXISTS <key>+
 3 TOUCH <key>+
 5 TYPE <key>
 8 {EXPIRE|PEXPIRE} <key> {<ttl>|<past>} [NX|XX|GT|LT]
 4 EXPIREAT <key> {<at>|<past>} [NX|XX|GT|LT]
 4 PEXPIREAT <key> {<pat>|<past>} [NX|XX|GT|LT]
 5 PERSIST <key>
 6 {TTL|PTTL|EXPIRETIME|PEXPIRETIME} <key>
 6 RENAME <key> <key>
 4 RENAMENX <key> <key>
 6 COPY <key> <key> [DB <db>] [REPLACE]
 3 MOVE <key> <db>
 3 SELECT <db>
 2 SWAPDB <db> <db>
 3 KEYS <pattern>
 2 DBSIZE
 3 RANDOMKEY
 8 OBJECT ENCODING <key>
 1 OBJECT {IDLETIME|REFCOUNT} <key>
 1 MEMORY USAGE <key>
 2 ECHO <value>
 1 PING [<value>]
 1 TIME
 1 CLIENT {GETNAME|SETNAME conn-name|SETNAME bad\\sname|ID}
 4 !scan SCAN [MATCH <pattern>] [COUNT <count>] [TYPE <type>]
 3 !scan HSCAN <key> [MATCH <pattern>] [COUNT <count>]
 3 !scan ZSCAN <key> [MATCH <pattern>] [COUNT <count>]
 4 HSET big-hash <manyfields>
 2 HDEL big-hash <manyfieldnames>
 2 HGETALL big-hash
 2 HRANDFIELD big-hash <pick> WITHVALUES
 2 HMGET big-hash <manyfieldnames>
 2 !scan HSCAN big-hash [MATCH <pattern>] [COUNT <count>]
 4 ZADD big-zset <manymembers>
 2 ZREM big-zset <manyfieldnames>
 4 ZRANGE big-zset <wide> <wide> [REV] [WITHSCORES]
 3 ZRANGE big-zset <wide> <wide> BYSCORE [REV] [LIMIT <offset> <limit>] WITHSCORES
 3 {ZRANK|ZREVRANK|ZSCORE} big-zset <wideelement>
 2 ZREMRANGEBYRANK big-zset <wide> <wide>
 2 ZREMRANGEBYSCORE big-zset <wide> <wide>
 2 ZCOUNT big-zset <wide> <wide>
 2 {ZUNIONSTORE|ZINTERSTORE|ZDIFFSTORE} big-zset2 2 big-zset <key>
 2 ZPOPMIN big-zset 20
 2 ZRANDMEMBER big-zset <pick> WITHSCORES
 2 !scan ZSCAN big-zset [MATCH <pattern>] [COUNT <count>]
 1 OBJECT ENCODING {big-hash|big-zset|big-zset2}
 1 COPY {big-hash|big-zset} big-copy REPLACE
12 {LPUSH|RPUSH} <key> <value>+
 3 {LPUSHX|RPUSHX} <key> <value>+
 6 {LPOP|RPOP} <key> [<small>]
 4 LLEN <key>
 8 LRANGE <key> <index> <index>
 5 LINDEX <key> <index>
 5 LSET <key> <index> <value>
 6 LINSERT <key> {BEFORE|AFTER} <value> <value>
 5 LREM <key> <index> <value>
 3 LTRIM <key> <index> <index>
 5 LPOS <key> <value> [RANK <index>] [COUNT <small>] [MAXLEN <small>]
 5 LMOVE <key> <key> {LEFT|RIGHT} {LEFT|RIGHT}
 4 RPOPLPUSH <key> <key>
 4 LMPOP 2 <key> <key> {LEFT|RIGHT} [COUNT <small>]
 2 {BLPOP|BRPOP} <key> <key> 0.01
 2 BLMOVE <key> <key> {LEFT|RIGHT} {LEFT|RIGHT} 0.01
 1 BRPOPLPUSH <key> <key> 0.01
 2 BLMPOP 0.01 2 <key> <key> {LEFT|RIGHT} [COUNT <small>]
 5 {LPUSH|RPUSH} big-list <manyfieldnames>
 3 LRANGE big-list <wide> <wide>
 3 LINDEX big-list <wide>
 3 LSET big-list <wide> <value>
 3 LINSERT big-list {BEFORE|AFTER} <wideelement> <value>
 3 LREM big-list <index> <wideelement>
 2 LPOS big-list <wideelement> RANK <index> COUNT 0
 1 LTRIM big-list <wide> <wide>
 2 {LPOP|RPOP} big-list 20
 2 LMOVE big-list big-list LEFT RIGHT
40 XADD <key> <newid> {<field> <value>}+
12 XADD <key> <newid> f0 <value>
 6 XADD <key> [NOMKSTREAM] [MAXLEN [=] <small>|MINID <entryid>] <newid> {<field> <value>}+
 4 XADD <key> {MAXLEN|MINID} ~ <small> [LIMIT <small>] <newid> f0 <value>
 4 XLEN <key>
12 XRANGE <key> <rangeid> <rangeid> [COUNT <small>]
 8 XREVRANGE <key> <rangeid> <rangeid> [COUNT <small>]
 8 XDEL <key> <entryid>+
 3 XTRIM <key> {MAXLEN [=] <small>|MINID <entryid>|MAXLEN ~ <small>}
 8 XREAD [COUNT <small>] STREAMS <key> <entryid>
 4 XREAD [COUNT <small>] STREAMS <key> <key> {<entryid>|$} {<entryid>|$}
 2 XREAD BLOCK 10 STREAMS <key> {<entryid>|$}
16 XGROUP CREATE <key> <group> {<entryid>|$|0} [MKSTREAM] [ENTRIESREAD <small>]
 2 XGROUP SETID <key> <group> {<entryid>|$|0} [ENTRIESREAD <small>]
 1 XGROUP DESTROY <key> <group>
 2 XGROUP DELCONSUMER <key> <group> <consumer>
20 XREADGROUP GROUP <group> <consumer> [COUNT <small>] [NOACK] STREAMS <key> {>|>|<entryid>|0}
 2 XREADGROUP GROUP <group> <consumer> STREAMS <key> <key> > {>|0}
 2 XREADGROUP GROUP <group> <consumer> BLOCK 10 STREAMS <key> >
 6 XACK <key> <group> <entryid>+
 6 XPENDING <key> <group>
 6 XPENDING <key> <group> [IDLE 0] <rangeid> <rangeid> <small> [<consumer>]
 8 XCLAIM <key> <group> <consumer> 0 <entryid>+ [FORCE] [JUSTID] [RETRYCOUNT <small>]
 1 XCLAIM <key> <group> <consumer> 0 <entryid> IDLE 90000000 LASTID <entryid>
 6 XAUTOCLAIM <key> <group> <consumer> 0 <rangeid> [COUNT <small>] [JUSTID]
 4 XINFO STREAM <key> [FULL [COUNT <small>]]
 5 XINFO GROUPS <key>
 3 XINFO CONSUMERS <key> <group>
 1 FLUSHDB
"""


def _tokens(text):
    """Splits a template into words and bracketed groups."""
    out, at = [], 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        end = at
        if text[at] in "[{":
            depth = 0
            while True:
                depth += text[end] in "[{"
                depth -= text[end] in "]}"
                end += 1
                if depth == 0:
                    break
        while end < len(text) and text[end] != " ":
            end += 1
        out.append(text[at:end])
        at = end
    return out


def _alternatives(text):
    """Splits at the bars that are outside inner brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += char in "[{"
        depth -= char in "]}"
        if char == "|" and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return parts + [text[start:]]


_STRING_COMMANDS = {
    b"SET", b"GET", b"GETDEL", b"GETEX", b"GETSET", b"SETNX", b"SETEX", b"PSETEX", b"MGET", b"MSET",
    b"MSETNX", b"APPEND", b"STRLEN", b"GETRANGE", b"SUBSTR", b"SETRANGE", b"INCR", b"DECR",
    b"INCRBY", b"DECRBY", b"INCRBYFLOAT", b"LCS", b"SETBIT", b"GETBIT", b"BITCOUNT", b"BITPOS",
    b"BITOP", b"BITFIELD", b"BITFIELD_RO"}


_SET_COMMANDS = {
    b"SADD", b"SREM", b"SMEMBERS", b"SISMEMBER", b"SMISMEMBER", b"SCARD", b"SPOP", b"SRANDMEMBER",
    b"SMOVE", b"SINTER", b"SINTERSTORE", b"SINTERCARD", b"SUNION", b"SUNIONSTORE", b"SDIFF",
    b"SDIFFSTORE", b"SSCAN"}


_LIST_COMMANDS = {
    b"LPUSH", b"LPUSHX", b"LPOP", b"LLEN", b"LRANGE", b"LINDEX", b"LSET", b"LINSERT", b"LREM",
    b"LTRIM", b"LPOS", b"LMOVE", b"RPOPLPUSH", b"LMPOP", b"BLPOP", b"BLMOVE", b"BRPOPLPUSH", b"BLMPOP"}


def _home_of(template):
    """The type that a template's command works on, or None."""
    kind, what, _repeat = template[0]
    word = what if kind == "word" else what[0][0][1]
    if word in _STRING_COMMANDS:
        return "string"
    if word in _SET_COMMANDS:
        return "set"
    if word in _LIST_COMMANDS:
        return "list"
    if word.startswith(b"X"):
        return "stream"
    if word.startswith(b"H"):
        return "hash"
    if word.startswith((b"Z", b"BZ")):
        return "zset"
    return None


class Generator:
    """An endless stream of commands from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.weights, self.templates = [], []
        for line in TEMPLATES.strip().splitlines():
            weight, template = line.split(None, 1)
            self.weights.append(int(weight))
            self.templates.append(self._compile(template))
        self.pick = self.random.choice
        self.wild = False
        self.home = None
        self.newest_ms = 0

    def _compile(self, text):
        return [self._compile_token(token) for token in _tokens(text)]

    def _compile_token(self, token):
        repeat = token.endswith("+") and len(token) > 1
        body = token[:-1] if repeat else token
        if body[0] in "[{":
            choices = [self._compile(part) for part in _alternatives(body[1:-1])]
            kind = "maybe" if body[0] == "[" else "one"
            return (kind, choices, repeat)
        if body[0] == "<":
            return ("draw", getattr(self, "_" + body[1:-1]), repeat)
        return ("word", body.replace("\\s", " ").encode(), repeat)

    def _emit(self, tokens, out):
        for kind, what, repeat in tokens:
            for _ in range(self.random.randint(1, 3) if repeat else 1):
                if kind == "word":
                    out.append(what)
                elif kind == "draw":
                    drawn = what()
                    (out.extend if isinstance(drawn, list) else out.append)(drawn)
                elif kind == "one" or self.random.random() < 0.4:
                    self._emit(self.pick(what), out)

    def command(self):
        """The next command."""
        self.wild = self.random.random() < 0.25
        template = self.random.choices(self.templates, self.weights)[0]
        self.home = _home_of(template)
        out = []
        self._emit(template, out)
        keeps_equal = out[0] in (b"ZADD", b"ZRANGESTORE") and out[1] in LEX_KEYS
        if self.random.random() < 0.04 and not out[0].startswith((b"!", b"BZ", b"BL", b"BR")) \
                and not keeps_equal and b"BLOCK" not in out:
            self._spoil(out)
        return _keep_far_from_expiry(out)

    def sequence(self, length):
        """`length` commands, some of them an expiry that is waited for."""
        out = []
        while len(out) < length:
            if self.random.random() < 0.004:
                key = self._key()
                # Both read the clock now and then, and a busy machine may hold one up in between.
                out += [[b"PEXPIRE", key, b"1"], [b"!sleep", b"25"], [b"EXISTS", key]]
            else:
                out.append(self.command())
        return out[:length]

    def _spoil(self, out):
        """Makes a command wrong in one place: an argument less, more, doubled or senseless."""
        at = self.random.randrange(1, len(out)) if len(out) > 1 else 0
        act = self.random.randrange(4)
        if act == 0 and at:
            del out[at]
        elif act == 1:
            out.insert(at + 1, self.pick(JUNK))
        elif act == 2 and at:
            out[at] = self.pick(JUNK)
        elif at:
            out.insert(at, out[at])

    # --- pools ---

    def _key(self):
        if self.wild:
            return self.pick(WILD_KEYS)
        if self.home and self.random.random() < 0.7:
            return self.pick(HOME_KEYS[self.home])
        return self.pick(PLAIN_KEYS)

    # Ids of entries: mostly some that are there, and new ones mostly above all others.
    def _entryid(self):
        ms = self.random.randrange(self.newest_ms + 2)
        return self.pick([b"%d" % ms, b"%d-0" % ms, b"%d-1" % ms, b"%d-%d" % (ms, ms % 3)])

    def _newid(self):
        if self.random.random() < 0.1:
            return self._entryid()
        self.newest_ms += self.random.randrange(2)
        if self.random.random() < 0.5:
            return b"%d-*" % self.newest_ms
        self.newest_ms += 1
        return b"%d-%d" % (self.newest_ms, self.newest_ms % 3)

    def _rangeid(self):
        return self.pick([b"-", b"+", b"(" + self._entryid(), self._entryid(), self._entryid()])

    def _group(self):
        return self.pick([b"g0", b"g0", b"g1"])

    def _consumer(self):
        return self.pick([b"c0", b"c1", b"c2"])

    # Enough elements to leave the compact encodings.
    def _wideelement(self):
        return b"e%d" % self.random.randrange(400)

    def _manyfields(self):
        return [token for _ in range(40) for token in (self._wideelement(), self._value())]

    def _manyfieldnames(self):
        return [self._wideelement() for _ in range(30)]

    def _manymembers(self):
        return [token for _ in range(40)
                for token in (b"%d" % self.random.randrange(-200, 200), self._wideelement())]

    def _wide(self):
        return b"%d" % self.random.randrange(-250, 250)

    def _equal(self):
        return self.pick(LEX_KEYS)

    def _plain(self):
        return self.pick(PLAIN_KEYS)

    def _wild(self):
        return self.pick(WILD_KEYS)

    def _field(self):
        return self.pick(FIELDS)

    def _member(self):
        return self.pick(MEMBERS)

    def _element(self):
        return self.pick(MEMBERS + INTEGERS)

    def _setkey(self):
        return self.pick(HOME_KEYS["set"])

    def _hashkey(self):
        return self.pick(HOME_KEYS["hash"])

    def _zsetkey(self):
        return self.pick(HOME_KEYS["zset"])

    def _score(self):
        return self.pick(WILD if self.wild else DYADIC)

    def _weight(self):
        return self.pick([b"1", b"2", b"0.5", b"-1", b"0", b"inf"])

    def _how(self):
        return self.pick([b"SUM", b"MIN", b"MAX"])

    def _value(self):
        return self.pick(VALUES)

    def _integer(self):
        return self.pick(INTEGERS)

    def _float(self):
        return self.pick(FLOATS)

    def _index(self):
        return self.pick(INDEXES)

    def _offset(self):
        return self.pick([b"0", b"1", b"2", b"5", b"40", b"100", b"-1", b"536870912"])

    def _bit(self):
        return b"%d" % self.random.choice([0, 1, 7, 8, 15, self.random.randrange(3000)])

    def _fieldtype(self):
        return self.pick([b"u8", b"i8", b"u1", b"i1", b"i64", b"u63", b"i33", b"u17", b"i5"])

    def _fieldread(self):
        return [b"GET", self._fieldtype(), self.pick([b"#3", self._bit()])]

    def _fieldwrite(self):
        return [self.pick([b"SET", b"INCRBY"]), self._fieldtype(),
                self.pick([b"#2", self._bit()]), self._integer()]

    def _log(self):
        return self.pick([b"p0", b"p1", b"p2"])

    def _logelement(self):
        return b"%d" % self.random.randrange(5000)

    def _manyelements(self):
        return [b"%x" % self.random.getrandbits(64) for _ in range(100)]

    def _limit(self):
        return self.pick([b"-1", b"0", b"1", b"2", b"10"])

    def _small(self):
        return self.pick([b"1", b"2", b"3", b"10", b"0", b"-1"])

    def _pick(self):
        return self.pick([b"0", b"1", b"2", b"5", b"50", b"-1", b"-3", b"-20"])

    def _count(self):
        return self.pick([b"1", b"2", b"10", b"1000"])

    def _bound(self):
        return self.pick(BOUNDS)

    def _lex(self):
        return self.pick(LEX)

    def _pattern(self):
        return self.pick(PATTERNS)

    def _type(self):
        return self.pick(TYPES)

    def _db(self):
        return self.pick([b"0", b"0", b"0", b"1", b"2", b"15", b"16", b"-1"])

    # Never in the past with SET: whether such a key is still counted is a matter of moments.
    # Far enough apart that two servers never see one of them pass, nor two of them change places.
    def _ttl(self):
        return b"%d" % self.random.randint(1_000, 100_000_000)

    def _pttl(self):
        return b"%d" % self.random.randint(1_000_000, 100_000_000_000)

    def _at(self):
        return b"%d" % self.random.randint(4_000_000_000, 9_000_000_000)

    def _pat(self):
        return b"%d" % self.random.randint(4 * 10 ** 12, 9 * 10 ** 12)

    def _past(self):
        return self.pick([b"0", b"-1", b"-1000"])


def _raise_small(args, at, least, lowest=1):
    try:
        value = int(args[at])
    except (ValueError, IndexError):
        return
    if lowest <= value < least:
        args[at] = b"%d" % (least + value)


def _keep_far_from_expiry(args):
    """Spoiling may have left a time to live of a few seconds: the two servers would race it."""
    name = args[0].upper()
    if name in (b"EXPIRE", b"SETEX"):
        _raise_small(args, 2, 1000)
    elif name in (b"PEXPIRE", b"PSETEX"):
        _raise_small(args, 2, 1_000_000)
    elif name in (b"SET", b"GETEX"):
        for at, word in enumerate(args):
            if word.upper() in (b"EXAT", b"PXAT"):
                _raise_small(args, at + 1, 4 * 10 ** 12)
            if word.upper() == b"EX":
                _raise_small(args, at + 1, 1000)
            elif word.upper() == b"PX":
                _raise_small(args, at + 1, 1_000_000)
    return args
