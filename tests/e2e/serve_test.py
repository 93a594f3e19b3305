#!/usr/bin/env python3
"""`tern serve` as a program: signals, addresses in use, redis.conf and options."""
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import COMMON, Connection, Tern, check, free_port, output_of, tern_path


def refused(*arguments, cwd=None):
    """The one line with which `tern serve` refuses to start."""
    done = subprocess.run([tern_path(), "serve", *arguments], capture_output=True, timeout=30,
                          check=False, cwd=cwd)
    text = (done.stdout + done.stderr).decode()
    check(done.returncode not in (0, None) and done.returncode > 0,
          f"serve {arguments} is refused by an exit code", done.returncode, text)
    check("terminate called" not in text and "Assertion" not in text, "no crash text", text)
    errors = done.stderr.decode().strip().splitlines()
    check(len(errors) == 1, "one line on standard error", errors)
    return errors[0]


def signals():
    for how in (signal.SIGINT, signal.SIGTERM):
        server = Tern()
        connection = server.connect()
        connection.raw("SET", "k", "v")
        path = server.unix_path
        code = server.stop(how)
        check(code == 0, f"exit code 0 on {how.name}", code, server.log())
        check(not os.path.exists(path), "the Unix socket's file is gone")
        server.directory.cleanup()


def addresses_in_use():
    with Tern() as server:
        line = refused("--listen", f"tcp:127.0.0.1:{server.port}")
        check(f"127.0.0.1:{server.port}" in line and "--listen" in line,
              "names the address and the option", line)
        line = refused("--listen", f"unix:{server.unix_path}")
        check(server.unix_path in line and "--listen" in line,
              "names the path and the option", line)
        line = refused("--port", str(server.port))
        check(str(server.port) in line, "names the port", line)
        check(server.connect().raw("PING") == b"+PONG\r\n", "the first server is unharmed")


def stale_socket():
    """A socket file that a killed server left behind does not stop the next one."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "s.sock")
        first = Tern("--listen", f"unix:{path}")
        first.process.kill()
        first.process.wait()
        check(os.path.exists(path), "the killed server left its file")
        with Tern("--listen", f"unix:{path}") as second:
            code, out, _ = output_of([tern_path(), "cli", "-e", f"unix:{path}", "PING"])
            check(code == 0 and b"PONG" in out, "the path serves again", code, out)
            check(second.process.poll() is None, "alive")


def wrong_arguments():
    check("nonsense" in refused("--nonsense", "1"), "an unknown option is named")
    line = refused("--listen", "tpc:127.0.0.1:1")
    check("tpc" in line, "the wrong part of an endpoint is named", line)
    line = refused("--maxmemory", "abc")
    check("maxmemory" in line, "the option with a wrong value is named", line)
    line = refused("/no/such/redis.conf")
    check("/no/such/redis.conf" in line, "the missing file is named", line)


def configuration_file():
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        Path(directory, "more.conf").write_text("timeout 77\n")
        conf = Path(directory, "redis.conf")
        conf.write_text(f"""# a comment
port {port}
bind 127.0.0.1
maxmemory 100mb
maxmemory-policy allkeys-lru
hash-max-ziplist-entries 64
save 900 1
save 300 10
appendonly no
requirepass "sesame \\x41"
include {directory}/more.conf
rename-command CONFIG CONFIG
slowlog-max-len 12
""")
        process = subprocess.Popen([tern_path(), "serve", str(conf), "--timeout", "78"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        try:
            connection = None
            for _ in range(300):
                try:
                    connection = Connection(port)
                    break
                except OSError:
                    check(process.poll() is None, "serve takes the file", process.returncode)
                    signal.sigtimedwait([], 0.02)
            check(connection.raw("PING").startswith(b"-NOAUTH"), "requirepass of the file holds")
            check(connection.raw("AUTH", "sesame A") == b"+OK\r\n", "quoted arguments are read")

            def value(name):
                return connection.call("CONFIG", "GET", name)[1][1][1]

            check(value("maxmemory") == b"104857600", "units are read", value("maxmemory"))
            check(value("hash-max-listpack-entries") == b"64", "older names are read")
            check(value("timeout") == b"78", "the command line wins over the file")
            check(value("slowlog-max-len") == b"12", "parameters without use yet are kept")
            check(value("save") == b"900 1 300 10", "repeated parameters add up", value("save"))
        finally:
            process.terminate()
            check(process.wait(10) == 0, "a clean end", process.returncode)


def faulty_file():
    with tempfile.TemporaryDirectory() as directory:
        conf = Path(directory, "bad.conf")
        conf.write_text("port 0\n\nnonsense yes\n")
        line = refused(str(conf))
        check("bad.conf" in line and "3" in line and "nonsense" in line,
              "names file, line and parameter", line)
        conf.write_text("port 0\nmaxmemory-policy whatever\n")
        line = refused(str(conf))
        check("bad.conf" in line and "2" in line and "maxmemory-policy" in line,
              "names file, line and parameter", line)


def options_of_redis_server():
    port = free_port()
    process = subprocess.Popen([tern_path(), "serve", "--port", str(port), *COMMON,
                                "--hash-max-listpack-entries", "7", "--loglevel", "verbose"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        reply = None
        for _ in range(300):
            try:
                reply = Connection(port).call("CONFIG", "GET", "hash-max-listpack-entries")
                break
            except OSError:
                check(process.poll() is None, "serve takes the options", process.returncode)
                signal.sigtimedwait([], 0.02)
        check(reply and reply[1][1][1] == b"7", "an option of redis-server arrives", reply)
    finally:
        process.terminate()
        check(process.wait(10) == 0, "a clean end", process.returncode)


def limit_of_open_files():
    """As redis-server: raised where the system allows it, else fewer clients."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for soft, highest, clients in ((64, 64, 32), (64, hard, 100)):
        def narrow(soft=soft, highest=highest):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, highest))
        with Tern("--maxclients", "100", before_exec=narrow) as server:
            limits = Path(f"/proc/{server.process.pid}/limits").read_text()
            files = int(re.search(r"Max open files +(\d+)", limits)[1])
            check(files >= clients + 32 or os.geteuid() == 0, "descriptors for each client", files)
            reply = server.connect().call("CONFIG", "GET", "maxclients")[1][1][1]
            check(int(reply) == files - 32 if files < 132 else int(reply) == 100,
                  "maxclients is what the limit is good for", reply, files)
            connections = []
            for _ in range(int(reply) - 1):  # the asking one may not be gone yet
                connection = server.connect()
                check(connection.raw("PING") == b"+PONG\r\n", "as many are served")
                connections.append(connection)


PARTS = (signals, addresses_in_use, stale_socket, wrong_arguments, configuration_file, faulty_file,
         options_of_redis_server, limit_of_open_files)


def main():
    tern_path()
    wanted = sys.argv[2:]
    for part in PARTS:
        if not wanted or part.__name__ in wanted:
            part()
            print(f"ok: {part.__name__}")


if __name__ == "__main__":
    main()
