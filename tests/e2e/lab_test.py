#!/usr/bin/env python3
"""`tern lab local` and `upkeep`: a small run writes everything it promises, and bad numbers are refused."""
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import check, output_of, skip_test, tern_path


def refusals():
    for words in (["--runs", "0"], ["--runs", "-1"], ["--samples", "0"], ["--samples", "many"],
                  ["--warmup", "-1"], ["--server-core", "-1"], ["--server-core", "100000"],
                  ["--server-core", "0", "--client-core", "0"], ["--filter", "no such case"]):
        with tempfile.TemporaryDirectory(prefix="tern-lab-") as folder:
            out = os.path.join(folder, "run")
            code, stdout, stderr = output_of([tern_path(), "lab", "local", "--out", out, *words])
            check(code in (1, 2), f"{words} is refused", code, stdout, stderr)
            line = stderr.decode().splitlines()[0]
            name = words[0] if words[0] != "--filter" else "no such case"
            check(name in line, f"the refusal of {words} says what is wrong", stderr)


def small_run():
    with tempfile.TemporaryDirectory(prefix="tern-lab-") as folder:
        out = Path(folder) / "run"
        words = ["lab", "local", "--out", str(out), "--warmup", "50", "--samples", "500",
                 "--runs", "2", "--filter", "unix RESP3 PING", "--wait", "block"]
        code, stdout, stderr = output_of([tern_path(), *words], timeout_s=120)
        check(code == 0, "the study ends well", code, stdout, stderr)
        names = {path.name for path in out.iterdir()}
        logs = [name for name in names if name.endswith(".hlog")]
        check(len(logs) == 1, "one histogram a case", names)
        check({"table.txt", "results.csv", "environment.json", "command.txt"} <= names,
              "the run directory is complete", names)
        table = (out / "table.txt").read_text()
        check(table in stdout.decode(), "the table is printed", stdout, table)
        rows = (out / "results.csv").read_text().splitlines()
        check(len(rows) >= 2, "the CSV has a head and a row", rows)
        check(len(set(row.count(",") for row in rows)) == 1, "every row has every column", rows)
        check(" ".join(words) in (out / "command.txt").read_text(), "the command is kept", words)
        check("#[Histogram log format version" in (out / logs[0]).read_text(),
              "a log that plotters read", logs)


def small_upkeep():
    with tempfile.TemporaryDirectory(prefix="tern-lab-") as folder:
        out = Path(folder) / "run"
        words = ["lab", "upkeep", "--out", str(out), "--keys", "2000", "--expiring", "500",
                 "--members", "3000", "--overwritten", "4000"]
        code, stdout, stderr = output_of([tern_path(), *words], timeout_s=120)
        check(code == 0, "the study ends well", code, stdout, stderr)
        rows = (out / "table.txt").read_text().splitlines()
        check(len(rows) == 14, "a head, twelve phases and what the ratio is", rows)
        check("growing to 2000 keys" in rows[2] and "500 keys expire" in rows[4]
              and "UNLINK of a set of 3000" in rows[6]
              and "SET of one key" in rows[10] and "SET of 4000 keys" in rows[12],
              "the phases", rows)
        check(len(list(out.glob("*.hlog"))) == 12, "a histogram for each phase", rows)
        check(" ".join(words) in (out / "command.txt").read_text(), "the command is kept", words)
    for words in (["--keys", "0"], ["--server-core", "1", "--client-core", "1"],
                  ["--collection", "stream"], ["--overwritten", "0"]):
        code, _, stderr = output_of([tern_path(), "lab", "upkeep", *words])
        check(code != 0 and words[0].encode() in stderr, f"{words} is refused", code, stderr)


def servers_below(pid):
    """The lab's children."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def killed_lab_leaves_no_server():
    with tempfile.TemporaryDirectory(prefix="tern-lab-") as folder:
        lab = subprocess.Popen([tern_path(), "lab", "local", "--out", os.path.join(folder, "run"),
                                "--samples", "100000000", "--filter", "unix RESP3 PING",
                                "--wait", "block"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not servers_below(lab.pid):
            check(time.monotonic() < deadline and lab.poll() is None, "the lab starts a server")
            time.sleep(0.01)
        servers = servers_below(lab.pid)
        lab.send_signal(signal.SIGKILL)
        lab.wait()
        while any(is_running(pid) for pid in servers):
            check(time.monotonic() < deadline, "the server ends with the lab", servers)
            time.sleep(0.01)


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) < 2:
        skip_test("the lab needs two cores")
    refusals()
    small_run()
    small_upkeep()
    killed_lab_leaves_no_server()
    print("ok")
