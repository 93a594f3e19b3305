// ioredis and node-redis against the server on the port given: node npm_clients.mjs CLIENT PORT
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const [, , name, portText] = process.argv;
const port = Number(portText);

async function withIoredis(moduleName, options) {
    const Redis = require(moduleName).default ?? require(moduleName);
    const client = new Redis({ port, host: '127.0.0.1', connectionName: 'io', db: 2, ...options });
    assert.equal(await client.set('k', 'v', 'EX', 100, 'NX'), 'OK');
    assert.equal(await client.get('k'), 'v');
    assert.equal(await client.get('none'), null);
    assert.equal(await client.incr('n'), 1);
    await client.hset('h', { a: 1, b: 'two' });
    assert.deepEqual({ ...(await client.hgetall('h')) }, { a: '1', b: 'two' });
    await client.zadd('z', 1.5, 'a', 2, 'b');
    assert.equal(Number(await client.zscore('z', 'a')), 1.5);
    assert.equal((await client.zrange('z', 0, -1, 'WITHSCORES')).flat().length, 4);
    const results = await client.pipeline().set('p', 1).incr('p').get('p').exec();
    assert.deepEqual(results.map(([error, value]) => [error, String(value)]),
        [[null, 'OK'], [null, '2'], [null, '2']]);
    await assert.rejects(client.incr('h'), /WRONGTYPE/);
    const many = await Promise.all(Array.from({ length: 1000 }, (_, i) => client.set(`m${i}`, i)));
    assert.ok(many.every((reply) => reply === 'OK'));
    let scanned = 0;
    for await (const keys of client.scanStream({ match: 'm*', count: 100 })) {
        scanned += keys.length;
    }
    assert.ok(scanned >= 1000);
    const blocked = client.duplicate();
    const popping = blocked.bzpopmin('queue', 5);
    await new Promise((done) => setTimeout(done, 20));
    await client.zadd('queue', 7, 'job');
    assert.deepEqual((await popping).map(String), ['queue', 'job', '7']);
    assert.equal(await client.client('GETNAME'), 'io');
    assert.match(await client.info('server'), /redis_version:7\.2/);
    await blocked.quit();
    assert.equal(await client.quit(), 'OK');
}

async function withNodeRedis(moduleName) {
    const { createClient } = require(moduleName);
    const client = createClient({ url: `redis://127.0.0.1:${port}/3`, RESP: 3, name: 'node' });
    client.on('error', (error) => { throw error; });
    await client.connect();
    assert.equal(await client.set('k', 'v', { EX: 100, NX: true }), 'OK');
    assert.equal(await client.get('k'), 'v');
    assert.equal(await client.get('none'), null);
    assert.equal(await client.incrBy('n', 5), 5);
    await client.hSet('h', { a: '1', b: 'two' });
    assert.deepEqual({ ...(await client.hGetAll('h')) }, { a: '1', b: 'two' });
    await client.zAdd('z', [{ score: 1.5, value: 'a' }, { score: Infinity, value: 'b' }]);
    assert.equal(await client.zScore('z', 'a'), 1.5);
    assert.deepEqual(await client.zRangeWithScores('z', 0, -1),
        [{ value: 'a', score: 1.5 }, { value: 'b', score: Infinity }]);
    assert.deepEqual(await client.zPopMin('z'), { value: 'a', score: 1.5 });
    await assert.rejects(client.incr('h'), /WRONGTYPE/);
    const many = await Promise.all(Array.from({ length: 1000 }, (_, i) => client.set(`m${i}`, `${i}`)));
    assert.ok(many.every((reply) => reply === 'OK'));
    let scanned = 0;
    for await (const keys of client.scanIterator({ MATCH: 'm*', COUNT: 100 })) {
        scanned += Array.isArray(keys) ? keys.length : 1;
    }
    assert.ok(scanned >= 1000);
    assert.equal(await client.clientGetName(), 'node');
    const info = await client.clientInfo();
    assert.equal(info.db, 3);
    assert.equal(info.libName, 'node-redis');
    assert.ok((await client.commandCount()) > 100);
    assert.equal(await client.ping(), 'PONG');
    await client.close();
}

const clients = {
    ioredis: () => withIoredis('ioredis', { protocol: 3 }),
    ioredis5: () => withIoredis('ioredis5', {}),
    redis: () => withNodeRedis('redis'),
    redis5: () => withNodeRedis('redis5'),
};
await clients[name]();
console.log(`ok: ${name} on node ${process.version}`);
