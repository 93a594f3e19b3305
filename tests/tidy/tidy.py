#!/usr/bin/env python3
"""Checks of the tree that a machine can make: style, sizes, atomics, texts.

    tidy.py SOURCE_DIR [--update] [--wrap]

--update rewrites ratchet.json (only ever downwards); --wrap breaks comment lines that are too wide.

What was over a limit when the limit came is listed in ratchet.json with its size then: it may
shrink, nothing new may cross.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

CODE_ROOTS = ("include", "src", "tests", "fuzz", "bench")
CODE = {".cpp", ".hpp", ".c", ".h"}
TEXTS = CODE | {".py", ".md", ".txt", ".cmake", ".json", ".xml", ".mjs", ".sh", ".yml", ""}
SKIPPED_PARTS = {"build", ".git", "node_modules", "__pycache__", "run-dir", "corpus"}
MAX_LINES, MAX_HEADER_LINES, MAX_COLUMNS = 800, 300, 100
# Shortest spellings of what must not be in a public tree; joined so that this file passes itself.
MACHINE_TEXT = re.compile("|".join((
    "/ho" + "me/", "/ro" + "ot/", "/wo" + "rk/", "registry" + r"\.npm", r"\b192\.168\.",
    r"\b10\.\d+\.\d+\.\d+\b")))
ATOMIC_CALL = re.compile(
    r"\b(?:load|store|exchange|compare_exchange_(?:weak|strong)|fetch_(?:add|sub|and|or|xor)"
    r"|test_and_set)\s*\(")
ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT)_[A-Z]+|\bFAIL\(|\bADD_FAILURE|static_assert|TYPED_TEST"
                       r"|REGISTER_TYPED|\bcheck\(|RC_ASSERT|RC_GTEST")


class Findings:
    """What is wrong, in the form editors jump to."""

    def __init__(self):
        self.lines = []

    def add(self, path, line, text):
        self.lines.append(f"{path}:{line}: {text}")


def files(root, suffixes, roots=None):
    """Every file of the tree with such a suffix, relative and sorted."""
    tracked = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True,
                             check=False).stdout.splitlines()
    paths = [Path(p) for p in tracked] or [p.relative_to(root) for p in root.rglob("*")]
    for path in sorted(paths):
        if (root / path).is_file() and path.suffix in suffixes \
                and not SKIPPED_PARTS & set(path.parts) \
                and (roots is None or path.parts[0] in roots):
            yield path


def read(root, path):
    return (root / path).read_text("utf-8", errors="replace")


def check_sizes(root, findings, ratchet):
    """File lengths, against the limits or what the ratchet allows."""
    over = {}
    for path in files(root, CODE, CODE_ROOTS):
        count = read(root, path).count("\n")
        is_interface = path.suffix == ".hpp" and not path.stem.endswith("_inl")
        limit = MAX_HEADER_LINES if is_interface else MAX_LINES
        if count > limit:
            over[str(path)] = count
            if count > ratchet.get(str(path), limit):
                findings.add(path, 1, f"{count} lines, at most {ratchet.get(str(path), limit)}")
    return over


def check_width(root, findings):
    for path in files(root, CODE | {".py"}, CODE_ROOTS + ("scripts",)):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            # What stands in quotes or in XML of a test is data, which a break would change.
            bare = re.sub(r'"(?:\\.|[^"\\])*"|<[^<>]+>', "", line)
            if len(line) > MAX_COLUMNS and len(bare) > MAX_COLUMNS // 2 and "http" not in line:
                findings.add(path, number, f"{len(line)} columns, at most {MAX_COLUMNS}")


def wrapped(lines):
    """The lines with comments that are too wide broken, what is cut off flowing on."""
    out, pending = [], list(lines)
    while pending:
        line = pending.pop(0)
        head = re.match(r"\s*///? ?", line)
        cut = line.rfind(" ", len(head.group()), MAX_COLUMNS + 1) if head else -1
        if not head or len(line) <= MAX_COLUMNS or "http" in line or cut < 0:
            out.append(line)
            continue
        out.append(line[:cut])
        indent = head.group() + re.match(r" *", line[len(head.group()):]).group()
        rest = line[cut + 1:]
        # The next line goes on with the sentence unless it is a label, a list or set off.
        if pending and re.match(re.escape(indent) + r"(?![A-Z]\w*:)[\w(`]", pending[0]) \
                and not rest.endswith((".", ":")):
            pending[0] = f"{indent}{rest} {pending[0][len(indent):]}"
        else:
            pending.insert(0, indent + rest)
    return out


def wrap_comments(root):
    """Breaks whole-line comments that are too wide."""
    for path in files(root, CODE, CODE_ROOTS):
        lines = read(root, path).splitlines()
        done = wrapped(lines)
        if done != lines:
            (root / path).write_text("\n".join(done) + "\n")


def check_machine_texts(root, findings):
    for path in files(root, TEXTS):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            found = MACHINE_TEXT.search(line)
            if found and "tidy-ok" not in line:
                findings.add(path, number, f"a path or address of some machine: {found.group()}")


def without_comments(text):
    """The text with comments and strings blanked, lines kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def call_text(text, opening):
    """What stands between the parenthesis at `opening` and its partner."""
    depth = 0
    for at in range(opening, min(len(text), opening + 600)):
        depth += text[at] == "("
        depth -= text[at] == ")"
        if depth == 0:
            return text[opening:at + 1]
    return text[opening:opening + 600]


def atomic_names(text):
    """Names that a file declares as atomics."""
    return set(re.findall(r"\batomic(?:_ref)?\s*<[^;{}()]*>[&\s]+(\w+)", text)) \
        | set(re.findall(r"\batomic_(?:flag|bool|int|uint)\s+(\w+)", text))


def check_atomics(root, findings):
    """Each operation on an atomic says its memory order: never the silent default."""
    sources = list(files(root, CODE, ("include", "src")))
    texts = {path: without_comments(read(root, path)) for path in sources}
    for path, text in texts.items():
        partner = {p for p in (path.with_suffix(".hpp"), path.with_suffix(".cpp")) if p in texts}
        names = set().union(*(atomic_names(texts[p]) for p in partner | {path}))
        for match in ATOMIC_CALL.finditer(text):
            before = text[max(0, match.start() - 80):match.start()]
            owner = re.search(r"(\w+)(?:\[[^\]]*\]|\([^()]*\))*\s*(?:\.|->)\s*$", before)
            is_reference = re.search(r"atomic_ref[^;]*\.\s*$", before)
            if not is_reference and not (owner and owner.group(1) in names):
                continue
            if "memory_order" not in call_text(text, match.end() - 1):
                line = text.count("\n", 0, match.start()) + 1
                findings.add(path, line, "an atomic operation without its memory order")


def check_tests_assert(root, findings):
    for path in files(root, CODE, CODE_ROOTS):
        if not path.stem.endswith("_test") or "compile_fail" in path.parts:
            continue
        text = read(root, path)
        if not ASSERTION.search(text):
            findings.add(path, 1, "a test without an assertion")
        for match in re.finditer(r"\bTEST(?:_F|_P)?\([^)]*\)\s*\{\s*\}", text):
            findings.add(path, text.count("\n", 0, match.start()) + 1, "an empty test")


def check_sleeps(root, findings):
    """No sleep as synchronisation in unit tests."""
    for path in files(root, CODE, ("src", "include")):
        if path.stem.endswith("_test"):
            for number, line in enumerate(read(root, path).splitlines(), 1):
                if re.search(r"\b(?:sleep_for|usleep|nanosleep)\b", line) and "tidy-ok" not in line:
                    findings.add(path, number, "a sleep in a unit test")


def check_layout(root, findings):
    """Sources are listed, not globbed; headers guard themselves; no using namespace in one."""
    for path in files(root, {".txt", ".cmake"}):
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            for number, line in enumerate(read(root, path).splitlines(), 1):
                if re.search(r"file\(GLOB.*\.(?:cpp|hpp|c|h)\b", line):
                    findings.add(path, number, "sources are listed, not globbed")
    for path in files(root, {".hpp"}, CODE_ROOTS):
        text = read(root, path)
        if "#pragma once" not in text:
            findings.add(path, 1, "a header without #pragma once")
        if re.search(r"^using namespace", text, re.MULTILINE):
            findings.add(path, 1, "using namespace in a header")
    for path in files(root, {".hpp"}, ("include",)):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            found = re.match(r'#include "(.+)"', line)
            if found:
                findings.add(path, number, "a public header includes only <tern/…> of ours")


def check_readme(root, findings):
    """What the README tells to run exists."""
    text = read(root, Path("README.md"))
    for command in set(re.findall(r"^\s*(\./[\w/.-]+)", text, re.MULTILINE)):
        if not (root / command).is_file():
            findings.add("README.md", 1, f"names {command}, which does not exist")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link and not (root / link).exists():
            findings.add("README.md", 1, f"links to {link}, which does not exist")
    presets = {p["name"] for p in json.loads(read(root, Path("CMakePresets.json")))
               ["configurePresets"]}
    for preset in re.findall(r"--preset (\w+)", text):
        if preset not in presets:
            findings.add("README.md", 1, f"names preset {preset}, which does not exist")


def check_format(root, findings):
    """clang-format 14, where it is installed; the number of files it saw."""
    program = shutil.which("clang-format-14")
    if not program:
        print("clang-format-14 is not installed: formatting was not checked")
        return
    paths = [str(p) for p in files(root, CODE, CODE_ROOTS)]
    done = subprocess.run([program, "--dry-run", "--style=file", *paths], cwd=root,
                          capture_output=True, text=True, check=False)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: warning: code should be clang-formatted",
                                  done.stderr, re.MULTILINE)))
    for path in wrong:
        findings.add(path, 1, "not formatted: clang-format-14 -i")


def main():
    root = Path(sys.argv[1]).resolve()
    ratchet_path = Path(__file__).parent / "ratchet.json"
    ratchet = json.loads(ratchet_path.read_text()) if ratchet_path.exists() else {}
    if "--wrap" in sys.argv:
        wrap_comments(root)
    findings = Findings()
    over = check_sizes(root, findings, ratchet)
    for check in (check_width, check_machine_texts, check_atomics, check_tests_assert, check_sleeps,
                  check_layout, check_readme, check_format):
        check(root, findings)
    if "--update" in sys.argv:
        kept = {path: min(count, ratchet.get(path, count)) for path, count in over.items()
                if path in ratchet or not ratchet}
        ratchet_path.write_text(json.dumps(kept, indent=4, sort_keys=True) + "\n")
    print("\n".join(findings.lines))
    print(f"{len(findings.lines)} findings")
    return 1 if findings.lines else 0


if __name__ == "__main__":
    sys.exit(main())
