#!/usr/bin/env python3
"""redis-benchmark runs to its end against tern. No figure is judged here."""
import re
import shutil

from harness import Tern, check, output_of, skip_test

TESTS = "ping_inline,ping_mbulk,set,get,incr,hset,zadd,zpopmin,mset"


def benchmark(server, *arguments):
    code, out, err = output_of(["redis-benchmark", *arguments], timeout_s=120)
    text = (out + err).decode()
    check(code == 0, f"redis-benchmark {' '.join(arguments)} succeeds", code, text[-2000:])
    check("Error" not in text, "redis-benchmark reports no error", text[-2000:])
    check(server.process.poll() is None, "the server is alive", server.log()[-2000:])
    return text


def main():
    if not shutil.which("redis-benchmark"):
        skip_test("redis-benchmark is not installed")
    with Tern() as server:
        for where in (["-p", str(server.port)], ["-s", server.unix_path]):
            text = benchmark(server, *where, "-q", "-n", "20000", "-c", "50", "-P", "16",
                             "-r", "1000", "-t", TESTS)
            results = re.findall(r"([A-Z_a-z() 0-9]+): [0-9.]+ requests per second", text)
            check(len(results) >= 9, "each test printed a result", text[-3000:])
        benchmark(server, "-p", str(server.port), "-q", "-n", "2000", "-c", "1", "-d", "100000",
                  "-t", "set,get")
        benchmark(server, "-p", str(server.port), "-q", "-n", "2000", "-c", "500", "-t", "ping,set")
        benchmark(server, "-p", str(server.port), "-q", "-n", "5000", "-P", "100", "-3",
                  "HSET", "h", "f", "v")
        keys = server.connect().call("DBSIZE")[1]
        check(int(keys) > 900, "the keys of -r 1000 were stored", keys)


if __name__ == "__main__":
    main()
