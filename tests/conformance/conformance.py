#!/usr/bin/env python3
"""Compares `tern serve` with Debian's redis-server, reply by reply.

    conformance.py corpus|random|protocol|blocking  --tern PATH
    conformance.py self                             redis-server against itself must agree
    conformance.py mutation                         and a server that errs must be caught

TERN_CONFORMANCE_STEPS (50000) and TERN_CONFORMANCE_SEED (fixed, so that a run repeats) rule
`random`; TERN_TEST_LONG=1 runs it with fresh seeds until it is stopped.
"""
import argparse
import os
import sys
import time
from pathlib import Path

import blocking
import corpus
import differences_7_2
import mutation
import protocol
import random_run
from pair import Pair, shrink, show_command
from servers import start_redis, start_tern

CORPUS = Path(__file__).parent / "corpus"
MAX_REPORTS = 40


def run_corpus(reference, subject, only=None):
    """Every section of the corpus under both protocols; False when something differs."""
    pair = Pair(reference, subject)
    commands, failures = 0, 0
    for section in corpus.read_all(CORPUS):
        if only and only not in f"{section.source} {section.name}":
            continue
        for version in section.protocols:
            failures += _run_section(pair, section, version, verbose=failures < MAX_REPORTS)
            commands += len(section.commands)
            if not subject.is_alive():
                print(f"{subject.name} ended in section {section.name}:\n{subject.log_tail()}")
                return False
    pair.close()
    print(f"{commands} corpus commands, {failures} differ")
    return failures == 0


def _run_section(pair, section, version, verbose):
    """Runs one section to its end; how many of its commands differ."""
    pair.reset(version)
    found = pair.run_through(section.commands)
    if verbose:
        for mismatch in found:
            print(f"DIFFERS {section.source}:{section.line} section {section.name}, "
                  f"RESP{version}, command {mismatch.index + 1}\n{mismatch.describe()}")
    return len(found)


def replay(pair, path, version):
    """Runs one corpus file and shrinks its first difference: for work on a bug."""
    sequence = [c for section in corpus.read(path) for c in section.commands]
    shortest, mismatch = shrink(pair, sequence, version)
    if mismatch is None:
        print("no difference")
        return True
    for args in shortest:
        print(f"    {show_command(args)}")
    print(mismatch.describe())
    return False


def run_random(reference, subject, steps=None):
    seed = os.environ.get("TERN_CONFORMANCE_SEED", "tern-1")
    if steps is None:
        steps = int(os.environ.get("TERN_CONFORMANCE_STEPS", "50000"))
        if os.environ.get("TERN_TEST_LONG") == "1":
            seed, steps = f"{time.time_ns()}", None
    print(f"seed {seed}", flush=True)
    return random_run.run(reference, subject, seed, steps)


def run_self():
    """The harness can agree: every part of it, redis-server against itself."""
    differences_7_2.subject_is_7_2 = False
    with start_redis() as reference, start_redis() as subject:
        results = [run_corpus(reference, subject), run_random(reference, subject, 5000),
                   protocol.run(reference, subject), blocking.run(reference, subject)]
    return all(results)


def _subject(options):
    if options.redis_7_2:
        return start_redis(binary=options.redis_7_2)
    return start_tern(options.tern)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("part", choices=["corpus", "random", "protocol", "blocking", "self",
                                            "mutation", "replay"])
    arguments.add_argument("--tern", help="the tern executable")
    arguments.add_argument("--redis-7-2", metavar="PATH",
                           help="a redis-server 7.2 in tern's place: checks the differences")
    arguments.add_argument("--only", help="corpus: sections whose file or name holds this text")
    arguments.add_argument("--file", help="replay: a corpus file")
    arguments.add_argument("--protocol", type=int, default=2, help="replay: RESP version")
    options = arguments.parse_args()
    if options.part == "self":
        return run_self()
    if options.part == "mutation":
        return mutation.run()
    with start_redis() as reference, _subject(options) as subject:
        if options.part == "corpus":
            return run_corpus(reference, subject, options.only)
        if options.part == "random":
            return run_random(reference, subject)
        if options.part == "protocol":
            return protocol.run(reference, subject)
        if options.part == "replay":
            return replay(Pair(reference, subject), options.file, options.protocol)
        return blocking.run(reference, subject)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
