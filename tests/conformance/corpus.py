"""Reads the corpus files: one command a line, in redis-cli's quoting.

    # comment
    ! section NAME          fresh connections, no keys; what follows belongs together
    ! sleep 20              waits (milliseconds)
    ! scan HSCAN h COUNT 2  runs a cursor to its end and compares the union
    ! only 2                the rest of this section under one protocol version only
    SET k {a|b} {EX|PX} 100 one command for each combination
    SET k \\{ "{a|b}"       no expansion inside quotes or without a bar
    SET k @repeat(x,1000)   a long argument
"""
import itertools
import re
from pathlib import Path

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b"}
_REPEAT = re.compile(r"@repeat\((.+?),(\d+)\)")


class Section:
    """Commands that share state; `protocols` says under which versions they run."""

    def __init__(self, name, source, line):
        self.name, self.source, self.line = name, source, line
        self.commands = []
        self.protocols = (2, 3)


def _quoted(text, at):
    """The bytes of a double-quoted string that begins at `at`, and the offset behind it."""
    out, at = [], at + 1
    while text[at] != '"':
        if text[at] == "\\" and text[at + 1] == "x":
            out.append(chr(int(text[at + 2:at + 4], 16)))
            at += 4
        elif text[at] == "\\":
            out.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out), at + 1


def split(text):
    """Tokens of a line: each a list of alternatives (one, where there is no {a|b})."""
    tokens, at = [], 0
    while at < len(text):
        if text[at] == " ":
            at += 1
        elif text[at] == '"':
            value, at = _quoted(text, at)
            tokens.append([value.encode("latin-1")])
        elif text[at] == "'":
            end = text.index("'", at + 1)
            tokens.append([text[at + 1:end].encode("latin-1")])
            at = end + 1
        elif text[at] == "{" and "|" in text[at:text.find("}", at) + 1]:
            end = text.index("}", at)
            tokens.append(_alternatives(text[at + 1:end]))
            at = end + 1
        else:
            end = text.find(" ", at)
            end = len(text) if end < 0 else end
            tokens.append([_expand_repeat(text[at:end])])
            at = end
    return tokens


def _alternatives(text):
    """`a|b c|""|` : each alternative is one argument, several, or none."""
    choices = []
    for choice in text.split("|"):
        words = [token[0] for token in split(choice.strip())]
        choices.append(words[0] if len(words) == 1 else tuple(words))
    return choices


def _expand_repeat(word):
    return _REPEAT.sub(lambda m: m.group(1) * int(m.group(2)), word).encode("latin-1")


def commands_of(line):
    """Every command that a line stands for."""
    for combination in itertools.product(*split(line)):
        command = []
        for part in combination:
            if isinstance(part, tuple):
                command.extend(part)
            else:
                command.append(part)
        if command:
            yield command


def read(path):
    """The sections of one file."""
    sections = []
    for number, line in enumerate(Path(path).read_text("latin-1").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("! section"):
                sections.append(Section(line[9:].strip(), Path(path).name, number))
            elif line.startswith("! only"):
                sections[-1].protocols = (int(line[6:]),)
            elif line.startswith("!"):
                for command in commands_of(line[1:].strip()):
                    sections[-1].commands.append([b"!" + command[0], *command[1:]])
            else:
                sections[-1].commands.extend(commands_of(line))
        except (IndexError, ValueError) as problem:
            raise SystemExit(f"{path}:{number}: cannot read this line: {problem}") from problem
    return sections


def read_all(directory):
    """The sections of every file, in order of their names."""
    return [section for path in sorted(Path(directory).glob("*.txt")) for section in read(path)]
