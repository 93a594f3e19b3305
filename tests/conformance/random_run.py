"""Seeded random sequences, in episodes that each start from nothing, under both protocols."""
import time

from generator import Generator
from pair import Mismatch, Pair, shrink, show_command

EPISODE = 500


def run(reference, subject, seed, steps, report_every_s=60.0):
    """Runs `steps` commands (None: until stopped). True when all agreed."""
    pair = Pair(reference, subject)
    done, episode, told = 0, 0, time.monotonic()
    try:
        while steps is None or done < steps:
            length = EPISODE if steps is None else min(EPISODE, steps - done)
            protocol = 2 + episode % 2
            sequence = Generator(f"{seed}/{episode}").sequence(length)
            pair.reset(protocol)
            try:
                pair.run(sequence)
            except Mismatch as mismatch:
                _report(pair, sequence, protocol, mismatch, seed, episode)
                return False
            done += length
            episode += 1
            if time.monotonic() - told > report_every_s:
                told = time.monotonic()
                print(f"{done} steps agree", flush=True)
        print(f"{done} steps agree (seed {seed})")
        return True
    finally:
        pair.close()


def _report(pair, sequence, protocol, mismatch, seed, episode):
    print(f"MISMATCH with seed {seed}, episode {episode}, RESP{protocol}")
    print(mismatch.describe())
    if not all(server.is_alive() for server in pair.servers):
        for server in pair.servers:
            if not server.is_alive():
                print(f"{server.name} ended with {server.process.returncode}; its log ends with\n"
                      + server.log_tail())
        print("the sequence that led there:")
        for args in sequence[:mismatch.index + 1]:
            print(f"    {show_command(args)}")
        return
    shortest, again = shrink(pair, sequence[:mismatch.index + 1], protocol)
    if again is None:
        print("it did not happen again from an empty state: time or leftover state matters")
        return
    print(f"shortest failing sequence ({len(shortest)} commands, RESP{protocol}, after FLUSHALL):")
    for args in shortest:
        print(f"    {show_command(args)}")
    print(again.describe())
