#!/usr/bin/env python3
"""Debian's python3-redis against tern."""
from harness import Tern, check, skip_test

try:
    import redis
except ImportError:
    skip_test("python3-redis is not installed")


def strings(client):
    check(client.set("k", "v", ex=100, nx=True) is True, "SET NX EX")
    check(client.set("k", "w", nx=True) is None, "SET NX of a key that exists")
    check(client.get("k") == b"v", "GET")
    check(90 <= client.ttl("k") <= 100, "TTL", client.ttl("k"))
    check(client.mset({"a": 1, "b": 2}), "MSET")
    check(client.mget("a", "b", "c") == [b"1", b"2", None], "MGET")
    check(client.incrbyfloat("f", 0.1) == 0.1, "INCRBYFLOAT")
    check(client.getdel("a") == b"1" and client.exists("a") == 0, "GETDEL")


def hashes(client):
    check(client.hset("h", mapping={"a": 1, "b": 2}) == 2, "HSET")
    check(client.hgetall("h") == {b"a": b"1", b"b": b"2"}, "HGETALL")
    check(client.hincrby("h", "a", 5) == 6, "HINCRBY")
    check(dict(client.hscan_iter("h")) == {b"a": b"6", b"b": b"2"}, "HSCAN")


def sorted_sets(client):
    check(client.zadd("z", {"a": 1, "b": 2.5, "c": float("inf")}) == 3, "ZADD")
    check(client.zrange("z", 0, -1, withscores=True)
          == [(b"a", 1.0), (b"b", 2.5), (b"c", float("inf"))], "ZRANGE")
    check(client.zpopmin("z") == [(b"a", 1.0)], "ZPOPMIN")
    check(client.bzpopmax("z", 1) == (b"z", b"c", float("inf")), "BZPOPMAX")
    check(client.bzpopmin("empty", 0.05) is None, "BZPOPMIN times out")
    check(client.zincrby("z", 0.1, "b") == 2.6, "ZINCRBY")


def keyspace(client):
    with client.pipeline(transaction=False) as pipeline:
        for i in range(1000):
            pipeline.set(f"key:{i}", i)
        check(all(pipeline.execute()), "a pipeline of 1000")
    check(len(set(client.scan_iter("key:*", count=50))) == 1000, "SCAN")
    check(client.dbsize() >= 1000, "DBSIZE")
    check(client.type("h") == b"hash" and client.object("encoding", "h") == b"listpack", "OBJECT")


def server(client):
    info = client.info()
    check(info["redis_version"].startswith("7.2"), "INFO redis_version", info["redis_version"])
    check(info["db0"]["keys"] >= 1000, "INFO keyspace", info.get("db0"))
    check(client.config_get("maxmemory") == {"maxmemory": "0"}, "CONFIG GET")
    check(client.client_setname("py") and client.client_getname() == "py", "CLIENT SETNAME")
    check(isinstance(client.client_id(), int), "CLIENT ID")
    check(len(client.client_list()) >= 1, "CLIENT LIST", client.client_list())
    check(client.command_count() > 100, "COMMAND COUNT", client.command_count())
    check("get" in client.command(), "COMMAND")
    check(len(client.time()) == 2, "TIME")


def errors(client):
    try:
        client.incr("h")
        check(False, "INCR of a hash raises")
    except redis.ResponseError as problem:
        check("WRONGTYPE" in str(problem), "the error names the type", str(problem))


def password(server_process):
    admin = redis.Redis(port=server_process.port)
    admin.config_set("requirepass", "sesame")
    try:
        redis.Redis(port=server_process.port).ping()
        check(False, "PING without the password raises")
    except redis.AuthenticationError:
        pass
    client = redis.Redis(port=server_process.port, password="sesame", db=3, client_name="x")
    check(client.ping(), "PING with the password")
    client.config_set("requirepass", "")


def main():
    with Tern() as process:
        client = redis.Redis(port=process.port)
        for part in (strings, hashes, sorted_sets, keyspace, server, errors):
            part(client)
            print(f"ok: {part.__name__}")
        password(process)
        unix = redis.Redis(unix_socket_path=process.unix_path)
        check(unix.get("k") == b"v", "GET over the Unix socket")


if __name__ == "__main__":
    main()
