#!/usr/bin/env python3
"""ioredis, node-redis and BullMQ against tern: the current majors (RESP3), and the ones before them."""
import shutil
import sys
from pathlib import Path

from harness import Tern, check, output_of, skip_test

HERE = Path(__file__).resolve().parent


def node_major():
    _, out, _ = output_of(["node", "--version"])
    return int(out.decode().lstrip("v").split(".")[0])


def main():
    name = sys.argv[2]
    if not shutil.which("node"):
        skip_test("node is not installed")
    if not (HERE / "node_modules" / name).is_dir():
        skip_test("npm clients are not installed (npm ci in tests/e2e)")
    if not name.endswith("5") and node_major() < 20:
        skip_test(f"{name} of this major needs Node 20; this is {node_major()}")
    with Tern() as server:
        script = ["npm_bullmq.mjs"] if name == "bullmq" else ["npm_clients.mjs", name]
        code, out, err = output_of(["node", str(HERE / script[0]), *script[1:], str(server.port)],
                                   timeout_s=90)
        check(code == 0, f"{name} works", out.decode(), err.decode()[-3000:], server.log()[-2000:])
        print(out.decode().strip())


if __name__ == "__main__":
    main()
