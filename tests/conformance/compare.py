"""Decides whether two replies to one command are the same answer.

The rule is byte for byte. The exceptions are commands whose answer is free in order, in choice or
in time, and the answers that 7.2 words differently from 7.0 (differences_7_2.py).
"""
from collections import Counter

import differences_7_2
from resp import parse_raw

# Order is the server's choice.
UNORDERED = {b"KEYS", b"HKEYS", b"HVALS", b"SMEMBERS", b"SINTER", b"SUNION", b"SDIFF",
             b"SPOP"}
UNORDERED_PAIRS = {b"HGETALL"}
# The choice is the server's: checked against a listing of the key that follows in the same batch.
RANDOM_PICKS = {b"RANDOMKEY", b"HRANDFIELD", b"ZRANDMEMBER", b"SRANDMEMBER"}
# Clock readings, and how far apart two servers may be when a batch reaches them one after another.
TIME_TOLERANCE = {b"TTL": 5, b"PTTL": 5000, b"EXPIRETIME": 5, b"PEXPIRETIME": 5000}
OBJECT_TOLERANCE = {b"IDLETIME": 10}
# Answers about the server itself: same type is all that can be asked.
SHAPE_ONLY = {
    b"TIME", b"INFO", b"LASTSAVE", b"LOLWUT", b"HELLO", b"ROLE",
    (b"MEMORY", b"USAGE"), (b"MEMORY", b"STATS"), (b"MEMORY", b"DOCTOR"),
    (b"MEMORY", b"MALLOC-STATS"), (b"OBJECT", b"REFCOUNT"), (b"DEBUG", b"OBJECT"),
    (b"DEBUG", b"JMAP"), (b"CLIENT", b"ID"), (b"CLIENT", b"INFO"), (b"CLIENT", b"LIST"),
    (b"COMMAND", b"COUNT"), (b"COMMAND", b"DOCS"), (b"COMMAND", b"LIST"), (b"COMMAND", b"INFO"),
    (b"CONFIG", b"HELP"), (b"CLIENT", b"HELP"), (b"OBJECT", b"HELP"), (b"COMMAND", b"HELP"),
    (b"MEMORY", b"HELP"), (b"DEBUG", b"HELP"), (b"XINFO", b"HELP"), (b"XGROUP", b"HELP"),
}


def _rule_key(args, table):
    name = args[0].upper()
    if name in table:
        return name
    if len(args) > 1:
        pair = (name, args[1].upper())
        if pair in table:
            return pair
    return None


def is_error(value):
    return value[0] in "-!"


def _items(value):
    return None if value[0] not in "*~%>" or value[1] is None else value[1]


def _freeze(value):
    kind, payload = value
    return (kind, tuple(_freeze(v) for v in payload)) if isinstance(payload, list) else value


def _pairs(items):
    return [(_freeze(items[i]), _freeze(items[i + 1])) for i in range(0, len(items) - 1, 2)]


def _same_unordered(expected, actual, pairs):
    if expected[0] != actual[0]:
        return False
    left, right = _items(expected), _items(actual)
    if left is None or right is None:
        return expected == actual
    if pairs:
        return Counter(_pairs(left)) == Counter(_pairs(right))
    return Counter(map(_freeze, left)) == Counter(map(_freeze, right))


def _same_time(expected, actual, tolerance):
    if expected == actual:
        return True
    if expected[0] != ":" or actual[0] != ":":
        return False
    left, right = int(expected[1]), int(actual[1])
    return left > 0 and right > 0 and abs(left - right) <= tolerance


_EPOCH_MS_MIN = 10 ** 12


def _is_free(items, i):
    """Whether item `i` is a time since something, or the shape of redis's own tree."""
    is_named = i > 0 and items[i - 1][1] in (b"idle", b"radix-tree-nodes")
    is_pending_row = i == 2 and len(items) == 4 and items[0][0] == "$"
    return items[i][0] == ":" and (is_named or is_pending_row)


def _same_but_for_times(expected, actual):
    """What XINFO and XPENDING tell."""
    if expected[0] != actual[0]:
        return False
    left, right = expected[1], actual[1]
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            _same_but_for_times(left[i], right[i])
            or (_is_free(left, i) and _is_free(right, i)) for i in range(len(left)))
    if expected[0] == ":" and min(int(left), int(right)) > _EPOCH_MS_MIN:
        return abs(int(left) - int(right)) <= 5000
    return left == right


def _same_shape(expected, actual):
    if is_error(expected) or is_error(actual):
        return expected == actual
    if expected[0] != actual[0]:
        return False
    return (expected[1] is None) == (actual[1] is None)


def same(args, expected_raw, actual_raw):
    """Whether `actual_raw` is a right answer to `args`, given what redis-server 7.0 said."""
    name = args[0].upper()
    if expected_raw == actual_raw and not differences_7_2.touches(name, expected_raw):
        return True
    if name in RANDOM_PICKS:
        return _same_shape(parse_raw(expected_raw), parse_raw(actual_raw))
    expected, actual = parse_raw(expected_raw), parse_raw(actual_raw)
    verdict = differences_7_2.judge(args, expected, actual)
    if verdict is not None:
        return verdict
    if name in UNORDERED or name in UNORDERED_PAIRS:
        return _same_unordered(expected, actual, name in UNORDERED_PAIRS)
    if name == b"CONFIG" and len(args) > 2 and args[1].upper() == b"GET":
        return _same_unordered(expected, actual, pairs=True)
    if name == b"SSCAN" and not is_error(expected) and not is_error(actual):
        return _same_unordered(_items(expected)[1], _items(actual)[1], pairs=False)
    if name in (b"XINFO", b"XPENDING"):
        return _same_but_for_times(differences_7_2.busy_consumers(expected),
                                   differences_7_2.busy_consumers(actual))
    if name in TIME_TOLERANCE:
        return _same_time(expected, actual, TIME_TOLERANCE[name])
    if name == b"OBJECT" and expected[1] == b"hashtable" and differences_7_2.subject_is_7_2:
        # 7.0 has no listpack of texts for sets.
        return actual[1] in (b"hashtable", b"listpack")
    if name == b"OBJECT" and len(args) > 1 and args[1].upper() in OBJECT_TOLERANCE:
        if expected[0] == ":" and actual[0] == ":":
            return abs(int(expected[1]) - int(actual[1])) <= 10
        return expected == actual
    if _rule_key(args, SHAPE_ONLY) is not None:
        return _same_shape(expected, actual)
    return expected_raw == actual_raw


# --- random choices ------------------------------------------------------------------------------

def listing_for(args):
    """The command whose answer holds everything that `args`, a random pick, may choose from."""
    name = args[0].upper()
    if name == b"RANDOMKEY":
        return [b"KEYS", b"*"]
    key = args[1] if len(args) > 1 else b""
    if name == b"HRANDFIELD":
        return [b"HGETALL", key]
    if name == b"SRANDMEMBER":
        return [b"SMEMBERS", key]
    return [b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"]


def _listed(listing):
    """The choices of a listing, as pairs where the listing has pairs."""
    items = _items(listing)
    if items is None:
        return None
    if items and items[0][0] == "*":  # RESP3 ZRANGE WITHSCORES
        return [(item[1][0][1], item[1][1][1]) for item in items]
    return [(items[i][1], items[i + 1][1]) for i in range(0, len(items) - 1, 2)]


def valid_pick(args, actual, listing):
    """Why `actual` cannot be a random pick from `listing`, or None when it can."""
    if is_error(actual):
        return None  # the reference's error was compared already
    name = args[0].upper()
    if name == b"RANDOMKEY":
        keys = {item[1] for item in _items(listing) or []}
        if actual[1] is None:
            return None if not keys else "null although there are keys"
        return None if actual[1] in keys else "not a key that exists"
    if name == b"SRANDMEMBER":
        choices = [(item[1], None) for item in _items(listing) or []]
    else:
        choices = _listed(listing)
    if choices is None:
        return None
    names = {pair[0] for pair in choices}
    if len(args) == 2:
        if actual[1] is None:
            return None if not names else "null although there are elements"
        return None if actual[1] in names else "not an element"
    count = int(args[2])
    with_values = len(args) > 3
    picked = _items(actual)
    if picked is None:
        return "not an array"
    if with_values and picked and picked[0][0] == "*":
        picked = [(item[1][0][1], item[1][1][1]) for item in picked]
    elif with_values:
        picked = [(picked[i][1], picked[i + 1][1]) for i in range(0, len(picked) - 1, 2)]
    else:
        picked = [(item[1], None) for item in picked]
    wanted = 0 if not names else (-count if count < 0 else min(count, len(names)))
    if len(picked) != wanted:
        return f"{len(picked)} elements, wanted {wanted}"
    if count >= 0 and len({pair[0] for pair in picked}) != len(picked):
        return "an element twice although the count is positive"
    allowed = set(choices)
    for pair in picked:
        if pair[0] not in names or (with_values and pair not in allowed):
            return f"{pair!r} is not an element"
    return None
