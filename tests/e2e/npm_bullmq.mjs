// A BullMQ job queue against the server on the port given: node npm_bullmq.mjs PORT
//
// Lua scripts with cjson and cmsgpack, streams for the events, blocking pops of sorted sets, delayed
// jobs and retries: what a team's background jobs ask of a Redis.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { FlowProducer, Queue, QueueEvents, Worker } = require('bullmq');
const connection = { host: '127.0.0.1', port: Number(process.argv[2]) };
const ms = (n) => new Promise((done) => setTimeout(done, n));

async function until(what, holds) {
    for (let i = 0; i < 600; ++i) {
        if (await holds()) {
            return;
        }
        await ms(50);
    }
    throw new Error(`never: ${what}`);
}

async function jobsRetriesAndDelays() {
    const queue = new Queue('work', { connection });
    const events = new QueueEvents('work', { connection });
    const attempts = new Map();
    const order = [];
    const worker = new Worker('work', async (job) => {
        attempts.set(job.name, (attempts.get(job.name) ?? 0) + 1);
        if (job.name === 'flaky' && attempts.get('flaky') < 3) {
            throw new Error(`attempt ${attempts.get('flaky')} fails`);
        }
        if (job.name === 'hopeless') {
            throw new Error('always fails');
        }
        await job.updateProgress(50);
        order.push(job.name);
        return { doubled: job.data.n * 2 };
    }, { connection, concurrency: 4 });
    await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);

    const started = Date.now();
    const plain = await queue.add('plain', { n: 21 });
    const flaky = await queue.add('flaky', { n: 1 }, { attempts: 5, backoff: { type: 'fixed', delay: 50 } });
    const delayed = await queue.add('delayed', { n: 2 }, { delay: 400 });
    const hopeless = await queue.add('hopeless', {}, { attempts: 2 });
    await queue.addBulk(Array.from({ length: 200 }, (_, n) => ({ name: 'bulk', data: { n } })));

    assert.deepEqual(await plain.waitUntilFinished(events, 20000), { doubled: 42 });
    assert.deepEqual(await flaky.waitUntilFinished(events, 20000), { doubled: 2 });
    assert.equal(attempts.get('flaky'), 3, 'two retries');
    assert.deepEqual(await delayed.waitUntilFinished(events, 20000), { doubled: 4 });
    assert.ok(Date.now() - started >= 400, 'the delayed job waited');
    await assert.rejects(hopeless.waitUntilFinished(events, 20000), /always fails/);
    await until('all jobs are done', async () => (await queue.getCompletedCount()) === 203);
    assert.equal(await queue.getFailedCount(), 1);
    assert.equal(order.filter((name) => name === 'bulk').length, 200);
    const [failed] = await queue.getFailed();
    assert.equal(failed.failedReason, 'always fails');
    assert.equal(failed.attemptsMade, 2);
    await failed.remove();
    assert.equal(await queue.getFailedCount(), 0);
    await worker.close();
    await events.close();
    await queue.close();
}

async function prioritiesAndPause() {
    const queue = new Queue('ranked', { connection });
    for (const [name, priority] of [['low', 10], ['high', 1], ['middle', 5]]) {
        await queue.add(name, {}, { priority });
    }
    await queue.pause();
    const order = [];
    const worker = new Worker('ranked', async (job) => { order.push(job.name); }, { connection });
    await worker.waitUntilReady();
    await ms(200);
    assert.deepEqual(order, [], 'a paused queue gives out nothing');
    await queue.resume();
    await until('three ranked jobs', () => order.length === 3);
    assert.deepEqual(order, ['high', 'middle', 'low']);
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
}

async function parentsWaitForChildren() {
    const flow = new FlowProducer({ connection });
    const children = new Worker('child', async (job) => job.data.n, { connection });
    let sum = null;
    const parents = new Worker('parent', async (job) => {
        const values = Object.values(await job.getChildrenValues());
        sum = values.reduce((a, b) => a + b, 0);
        return sum;
    }, { connection });
    await flow.add({
        name: 'sum',
        queueName: 'parent',
        children: [1, 2, 3, 4].map((n) => ({ name: `n${n}`, queueName: 'child', data: { n } })),
    });
    await until('the parent ran', () => sum !== null);
    assert.equal(sum, 10);
    await Promise.all([children.close(), parents.close()]);
    await flow.close();
}

async function repeatingJobs() {
    const queue = new Queue('clock', { connection });
    let ticks = 0;
    const worker = new Worker('clock', async () => { ++ticks; }, { connection });
    await queue.upsertJobScheduler('tick', { every: 100 }, { name: 'tick' });
    await until('three ticks', () => ticks >= 3);
    assert.equal(await queue.removeJobScheduler('tick'), true);
    await worker.close();
    await queue.close();
}

await jobsRetriesAndDelays();
await prioritiesAndPause();
await parentsWaitForChildren();
await repeatingJobs();
console.log('bullmq: retries, delays, priorities, flows, repeats');
process.exit(0);
