#!/usr/bin/env python3
"""Prints how many tests ctest skipped and why, from its JUnit file."""
import re
import sys
import xml.etree.ElementTree as tree
from collections import defaultdict

# What a skipping test prints: ours "SKIP: reason", GoogleTest's "file:line: Skipped\nreason".
REASON = re.compile(r"^SKIP: (.+)$|: Skipped\n(.+)$", re.MULTILINE)


def reasons(path):
    """Maps each reason to the names of the tests that gave it."""
    skipped = defaultdict(list)
    for case in tree.parse(path).getroot().iter("testcase"):
        if case.get("status") not in ("notrun", "disabled") and case.find("skipped") is None:
            continue
        output = case.findtext("system-out") or ""
        found = REASON.search(output)
        if found:
            reason = (found.group(1) or found.group(2)).strip()
        elif case.get("status") == "disabled":
            reason = "disabled"
        else:
            reason = "no reason given"
        skipped[reason].append(case.get("name"))
    return skipped


def main():
    skipped = reasons(sys.argv[1])
    count = sum(len(names) for names in skipped.values())
    print(f"\n{count} tests skipped")
    for reason, names in sorted(skipped.items()):
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        print(f"  {len(names)} x {reason}: {shown}")


if __name__ == "__main__":
    main()
