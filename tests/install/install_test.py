#!/usr/bin/env python3
"""Installs the build, then builds and runs a program that knows only the installed package.

    install_test.py CMAKE BUILD_DIR CXX_COMPILER sanitizers:LIST
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

from servers import skip_test, start_tern  # noqa: E402  pylint: disable=wrong-import-position


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        print(f"FAILED with {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")
        sys.exit(1)
    return done.stdout


def main():
    cmake, build, compiler, sanitizers = sys.argv[1:5]
    if sanitizers != "sanitizers:":
        skip_test("a sanitized library is not for installing")
    with tempfile.TemporaryDirectory(prefix="tern-install-") as scratch:
        prefix = os.path.join(scratch, "prefix")
        consumer = os.path.join(scratch, "consumer")
        run(cmake, "--install", build, "--prefix", prefix)
        tern = os.path.join(prefix, "bin", "tern")
        assert "serve" in run(tern, "help"), "the installed program works"
        # Nothing of the source tree may be needed: the consumer is built from a copy elsewhere.
        run("cp", "-r", str(HERE / "consumer"), consumer)
        run(cmake, "-G", "Ninja", "-S", consumer, "-B", f"{consumer}/build",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}")
        run(cmake, "--build", f"{consumer}/build")
        source = str(HERE.parent.parent)
        for path in Path(prefix).rglob("*.cmake"):
            assert source not in path.read_text(), f"{path.name} points into the source tree"
        with start_tern(tern) as server:
            run(f"{consumer}/build/consumer", f"tcp:127.0.0.1:{server.port}")
    print("ok: find_package(tern), tern::client")


if __name__ == "__main__":
    main()
