"""Where redis 7.2 answers differently from Debian's 7.0, 7.2 is right: the list, with reasons.

Two kinds: scores, which 7.2 prints with few digits that read back as the same double where 7.0
printed 17; and commands, options or texts that 7.0 does not have, whose 7.2 answer is stated
here as a check.
"""
import grisu

# Off where both servers are 7.0: then nothing may differ at all.
subject_is_7_2 = True  # pylint: disable=invalid-name

SCORE_COMMANDS = {
    b"ZADD", b"ZSCORE", b"ZMSCORE", b"ZINCRBY", b"ZRANGE", b"ZREVRANGE", b"ZRANGEBYSCORE",
    b"ZREVRANGEBYSCORE", b"ZPOPMIN", b"ZPOPMAX", b"ZMPOP", b"BZPOPMIN", b"BZPOPMAX", b"BZMPOP",
    b"ZUNION", b"ZINTER", b"ZDIFF", b"ZRANDMEMBER", b"ZRANK", b"ZREVRANK",
}

# Integral doubles up to half of the 64-bit range print as integers in 7.2.
_LARGEST_INTEGER = 2.0 ** 62


def score_text(value):
    """A score as 7.2 prints it."""
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if value == 0:
        return "-0" if str(value).startswith("-") else "0"
    if abs(value) <= _LARGEST_INTEGER and value == int(value):
        return str(int(value))
    sign = "-" if value < 0 else ""
    return sign + _layout(*grisu.digits(abs(value)))


def _layout(digits, power):
    """`digits` times ten to the `power`, in 7.2's choice of plain or scientific notation."""
    leading = power + len(digits) - 1  # exponent of the first digit
    if power >= 0 and abs(leading) < len(digits) + 7:
        return digits + "0" * power
    if power < 0 and (power > -7 or abs(leading) < 4):
        point = len(digits) + power
        if point <= 0:
            return "0." + "0" * -point + digits
        return digits[:point] + "." + digits[point:]
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'-' if leading < 0 else '+'}{abs(leading)}"


def _seventeen_digits(text):
    """The double that 7.0 printed as `text`, or None when it is no score."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if b"%.17g" % value == text else None


def _same_scores(expected, actual):
    """Equal, where every number that 7.0 printed stands in 7.2's form in `actual`."""
    if expected[0] != actual[0]:
        return False
    left, right = expected[1], actual[1]
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same_scores, left, right))
    if left is None or right is None or isinstance(left, list) or isinstance(right, list):
        return left == right
    if expected[0] in "$,":
        value = _seventeen_digits(left)
        if value is not None:
            return score_text(value).encode() == right
    return left == right


# --- answers that 7.0 does not know --------------------------------------------------------------

def _rank_with_score(args, _expected, actual):
    """7.2: [rank, score], or a null array; the score form and types are checked by the corpus."""
    if actual[0] == "-":
        return actual[1].startswith(b"WRONGTYPE")
    if actual[1] is None or actual[0] == "_":
        return True
    return actual[0] == "*" and len(actual[1]) == 2 and actual[1][0][0] == ":" \
        and actual[1][1][0] in "$,"


def _client_setinfo(args, _expected, actual):
    if len(args) != 4:
        return actual == ("-", b"ERR wrong number of arguments for 'client|setinfo' command")
    if args[2].lower() not in (b"lib-name", b"lib-ver"):
        return actual == ("-", b"ERR Unrecognized option '%b'" % args[2])
    if any(byte < 33 or byte > 126 for byte in args[3]):
        return actual == ("-", b"ERR %b cannot contain spaces, newlines or special characters."
                          % args[2].lower())
    return actual == ("+", b"OK")


def _no_touch(args, _expected, actual):
    if len(args) != 3:
        return actual == ("-", b"ERR wrong number of arguments for 'client|no-touch' command")
    if args[2].lower() in (b"on", b"off"):
        return actual == ("+", b"OK")
    return actual == ("-", b"ERR syntax error")


# Commands of the corpus that COMMAND GETKEYS is asked about without arguments.
_BARE = {b"PING": b"ERR The command has no key arguments",
         b"GET": b"ERR Invalid number of arguments specified for command",
         b"NOSUCH": b"ERR Invalid command specified"}


def _getkeys_of_nothing(args, _expected, actual):
    return actual == ("-", _BARE.get(args[2].upper()))


# (7.0's bytes, 7.2's bytes, reason): errors that were reworded.
TEXTS = [
    (b"otherwise the HELLO AUTH <user> <pass> option",
     b"otherwise the HELLO <proto> AUTH <user> <pass> option",
     "7.2 names the protocol argument"),
]


def reworded(data):
    """7.0's bytes with every reworded text in its 7.2 form."""
    if subject_is_7_2:
        for old, new, _reason in TEXTS:
            data = data.replace(old, new)
    return data


def _overflowing_timeout(args):
    place = {b"BZPOPMIN": -1, b"BZPOPMAX": -1, b"BZMPOP": 1, b"BLPOP": -1, b"BRPOP": -1,
             b"BLMPOP": 1, b"BLMOVE": -1, b"BRPOPLPUSH": -1}.get(args[0].upper())
    if place is None or len(args) < 3:
        return False
    try:
        return float(args[place]) >= 2.0 ** 63 / 1000
    except ValueError:
        return False


_STREAM_7_0, _STREAM_7_2 = b"\x13", b"\x15"


def _unbalanced(args, expected, actual):
    """7.2 names the command, and the id that it takes."""
    if expected[0] != "-" or not expected[1].startswith(b"ERR Unbalanced"):
        return None
    name = args[0].lower()
    return actual == ("-", b"ERR Unbalanced '%b' list of streams: for each stream key an ID or "
                      b"'%b' must be specified." % (name, b">" if name == b"xreadgroup" else b"$"))


def _below_the_deleted(_args, _expected, actual):
    """7.2 keeps the last id at or above what was deleted."""
    if actual != ("-", b"ERR The ID specified in XSETID is smaller than current "
                       b"max_deleted_entry_id"):
        return None
    return True


def _dump_of_version_11(_args, expected, actual):
    """The same value; behind it two bytes of version and eight of checksum."""
    if expected[0] != "$" or expected[1] is None:
        return expected == actual
    begin = 1 if expected[1][:1] == _STREAM_7_0 and actual[1][:1] == _STREAM_7_2 else 0
    return actual[0] == "$" and actual[1][begin:-10] == expected[1][begin:-10] \
        and actual[1][-10:-8] == b"\x0b\x00"


def _is_idle_consumer(value):
    """Whether XINFO describes a consumer here for which nothing is pending."""
    fields = {value[i][1]: value[i + 1][1] for i in range(0, len(value) - 1, 2)
              if isinstance(value[i][1], bytes)} if isinstance(value, list) else {}
    return (b"idle" in fields and fields.get(b"pending") == b"0") or \
        (b"seen-time" in fields and fields.get(b"pel-count") == b"0")


def busy_consumers(reply):
    """An answer of XINFO without what 7.2 and 7.0 tell differently of consumers.

    7.2 makes a consumer with every command that names it, 7.0 only with one that gives it
    something; 7.2 tells when it was active.
    """
    kind, value = reply[0], reply[1]
    if not subject_is_7_2 or not isinstance(value, list):
        return reply
    kept = []
    for i, one in enumerate(value):
        before = value[i - 1][1] if i else None
        if one[1] in (b"inactive", b"active-time") or before in (b"inactive", b"active-time"):
            continue
        if _is_idle_consumer(one[1]) or (before == b"consumers" and one[0] == ":"):
            continue
        kept.append(busy_consumers(one))
    return (kind, kept)


def _unsanitized(reply):
    """A reply without the flag sanitize-payload, wherever it is in it."""
    kind, value = reply[0], reply[1]
    if isinstance(value, bytes):
        return (kind, value.replace(b" sanitize-payload", b""))
    if isinstance(value, list):
        return (kind, [_unsanitized(one) for one in value
                       if not (isinstance(one, tuple) and one[1] == b"sanitize-payload")])
    return reply


def _encoding(_args, expected, actual):
    return True if (expected[1], actual[1]) == (b"quicklist", b"listpack") else None


# (applies(args), check(args, 7.0's answer, ours), reason)
STATED = [
    (lambda a: a[0].upper() in (b"ZRANK", b"ZREVRANK") and len(a) == 4
     and a[3].upper() == b"WITHSCORE",
     _rank_with_score, "WITHSCORE came with 7.2"),
    (lambda a: a[0].upper() in (b"ZRANK", b"ZREVRANK") and len(a) == 4,
     lambda _a, _e, actual: actual == ("-", b"ERR syntax error"),
     "the fourth argument came with 7.2; 7.0 counts arguments"),
    (lambda a: a[0].upper() in (b"ZRANK", b"ZREVRANK") and len(a) > 4,
     lambda a, _e, actual: actual == (
         "-", b"ERR wrong number of arguments for '%b' command" % a[0].lower()),
     "arity -3 with a check inside since 7.2"),
    (lambda a: a[0].upper() == b"CLIENT" and len(a) > 1 and a[1].upper() == b"SETINFO",
     _client_setinfo, "CLIENT SETINFO came with 7.2"),
    (lambda a: a[0].upper() == b"CLIENT" and len(a) > 1 and a[1].upper() == b"NO-TOUCH",
     _no_touch, "CLIENT NO-TOUCH came with 7.2"),
    (lambda a: a[0].upper() == b"COMMAND" and len(a) == 3 and a[1].upper() == b"GETKEYS",
     _getkeys_of_nothing, "COMMAND GETKEYS takes a bare command name since 7.2"),
    (lambda a: a[0].upper() == b"DUMP" and len(a) == 2,
     _dump_of_version_11, "7.2 writes version 11 of the dump format, 7.0 writes 10"),
    (lambda a: a[0].upper() == b"ACL" and len(a) > 1 and a[1].upper() in (b"LIST", b"GETUSER"),
     lambda _a, expected, actual: _unsanitized(actual) == expected,
     "7.2 lists sanitize-payload among a user's flags"),
    (lambda a: a[0].upper() == b"OBJECT" and len(a) == 3 and a[1].upper() == b"ENCODING",
     _encoding, "small lists are listpacks since 7.2"),
    (lambda a: a[0].upper() in (b"XREAD", b"XREADGROUP"), _unbalanced,
     "7.2 words the error about unbalanced lists of streams for each command"),
    (lambda a: a[0].upper() == b"XSETID", _below_the_deleted,
     "7.2 refuses a last id below the highest that was deleted"),
    (_overflowing_timeout,
     lambda _a, _e, actual: actual == ("-", b"ERR timeout is out of range"),
     "7.0 overflowed and called such a timeout negative"),
]


def touches(name, expected_raw):
    """Whether equal bytes are not yet proof of the 7.2 answer for this command."""
    if subject_is_7_2 and name in SCORE_COMMANDS:
        return b"." in expected_raw or b"e+" in expected_raw or b"e-" in expected_raw
    return False


def judge(args, expected, actual):
    """True or False where this list decides, None where it has nothing to say."""
    if not subject_is_7_2:
        return None
    for applies, check, _reason in STATED:
        if applies(args):
            return check(args, expected, actual)
    name = args[0].upper()
    if expected[0] == "-":
        return actual == ("-", reworded(expected[1]))
    if name in SCORE_COMMANDS:
        return _same_scores(expected, actual)
    return None
