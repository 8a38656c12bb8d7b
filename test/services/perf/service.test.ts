import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/services/file/message.js';
import { MAX_TESTS, PerfService } from '../../../src/services/perf/service.js';
import type { PerfOutcome } from '../../../src/services/perf/session.js';
import { ServiceHost } from '../../../src/services/service-host.js';
import { perfRequest } from '../../harness/perf-request.js';
import { MessageInbox, SILENT, StreamWorld, TestWriter } from '../../harness/stream-world.js';

const REQUEST: Message = perfRequest(1);
const DATA: Message = { kind: 'perf', role: 'data', test: 'a1', index: 0 };

/** Host 0 is a client that a test plays by hand, host 1 the server. */
function bed(maxFlows?: number) {
  const world = new StreamWorld();
  const inbox = new MessageInbox();
  const client = world.open({ idleTimeoutNs: 2e9 });
  client.acceptReceivers(inbox.accept);
  const outcomes: PerfOutcome[] = [];
  const service = new PerfService({ onOutcome: (outcome) => outcomes.push(outcome) });
  const host = new ServiceHost({ services: [service], logger: SILENT });
  host.serve(world.open({ idleTimeoutNs: 2e9, ...(maxFlows === undefined ? {} : { maxFlows }) }));
  return { world, inbox, client, service, host, outcomes };
}

type Bed = ReturnType<typeof bed>;

/** Opens a stream and waits for the first message of what answers it. */
async function ask({ world, inbox, client }: Bed, ...parts: (Message | Uint8Array)[]) {
  const writer = new TestWriter(client).open(1, parts);
  await world.playUntil(() => inbox.answerTo(writer) !== undefined);
  return { writer, answer: inbox.answerTo(writer) as Message };
}

describe('the perf service', () => {
  it('is ready when asked for a test, and tells how the client left it', async () => {
    const all = bed();
    const { writer, answer } = await ask(all, REQUEST);
    expect(answer).toEqual({ kind: 'perf-ready' });
    expect(all.service.testCount).toBe(1);
    writer.reset();
    await all.world.playUntil(() => all.service.testCount === 0);
    expect(all.outcomes).toMatchObject([{ peerName: 'host 0', request: REQUEST, received: null }]);
  });

  it('takes data until the client ends the test, and says what it measured', async () => {
    const all = bed();
    const { writer } = await ask(all, REQUEST);
    const data = new TestWriter(all.client).open(1, [DATA, new Uint8Array(100_000)]);
    data.end();
    await all.world.playUntil(() => data.closed === null);
    writer.write({ kind: 'perf-results' });
    writer.end();
    await all.world.playUntil(() => all.service.testCount === 0);
    const [{ received }] = all.outcomes;
    expect(received).toMatchObject({ bytes: 100_000, flowBytes: [100_000], frames: 70, repairedFrames: 0 });
    expect(received?.credits.used).toBe(70);
    expect(received?.rtt.count).toBeGreaterThan(60);
  });

  it('forgets a client that is lost, by the idle timeout', async () => {
    const all = bed();
    await ask(all, REQUEST);
    all.world.kill(0);
    all.world.run(all.world.nowNs + 2.1e9);
    expect(all.service.testCount).toBe(0);
    expect(all.outcomes).toMatchObject([{ received: null }]);
  });

  it.each([
    [{ ...REQUEST, flows: 0 }, 'its flows are not a number from 1 to 512'],
    [DATA, 'no such test runs here'],
  ])('refuses %j', async (header, why) => {
    const { answer } = await ask(bed(), header);
    expect(answer).toMatchObject({ kind: 'verdict', ok: false, code: 'badMessage' });
    expect(answer.message).toContain(why);
  });

  it('refuses a second test of one name, data of another test, a flow that came before and one too many', async () => {
    const all = bed();
    await ask(all, REQUEST);
    const messages = [];
    new TestWriter(all.client).open(1, [DATA, new Uint8Array(1)]);
    all.world.run(all.world.nowNs + 10e6);
    for (const header of [REQUEST, { ...DATA, test: 'b2' }, DATA, { ...DATA, index: 1 }]) {
      messages.push((await ask(all, header)).answer.message);
    }
    expect(messages).toEqual([
      'a test of this name runs already',
      'no such test runs here',
      'flow 0 of the test has come before',
      'the test has no flow 1',
    ]);
  });

  it('refuses data for a test in which it sends', async () => {
    const all = bed();
    await ask(all, { ...REQUEST, direction: 'reverse' });
    expect((await ask(all, DATA)).answer.message).toBe('the data of this test goes the other way');
  });

  it('tells a client that takes no frames as large as its own', async () => {
    const all = bed();
    all.world.hosts[0].endpoint.config.frameBytes = 1_000;
    const writer = new TestWriter(all.client).open(1, [REQUEST]);
    await all.world.playUntil(() => writer.closed !== undefined);
    expect(writer.closed).toMatchObject({ code: 'frameSize' });
    expect(all.service.testCount).toBe(0);
  });

  it('runs a bounded number of tests', async () => {
    const all = bed();
    for (let test = 0; test < MAX_TESTS; test++) {
      expect((await ask(all, { ...REQUEST, test: `${test}` })).answer.kind).toBe('perf-ready');
    }
    expect((await ask(all, REQUEST)).answer.message).toBe('64 perf tests run here: at most 64 are allowed');
  });

  it('refuses a test for which it cannot open the flows, and keeps none of them', async () => {
    const all = bed(4);
    const { answer } = await ask(all, { ...REQUEST, direction: 'reverse', flows: 8 });
    expect(answer).toMatchObject({ kind: 'verdict', ok: false });
    expect(answer.message).toContain('at most 4 are allowed');
    expect(all.service.testCount).toBe(0);
  });

  it('gives up its tests and takes no more when the process ends', async () => {
    const all = bed();
    const { writer } = await ask(all, REQUEST);
    await all.service.close();
    expect(all.service.testCount).toBe(0);
    expect(all.outcomes).toMatchObject([{ received: null }]);
    expect((await ask(all, { ...REQUEST, test: 'b2' })).answer).toMatchObject({ code: 'aborted' });
    writer.reset();
  });
});
