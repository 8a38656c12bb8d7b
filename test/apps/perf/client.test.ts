import { describe, expect, it } from 'vitest';
import { PerfClient } from '../../../src/apps/perf/client.js';
import { ExitCode } from '../../../src/base/exit-codes.js';
import { Failure } from '../../../src/base/failure.js';
import type { EndpointConfig } from '../../../src/core/config.js';
import type { FlowReader } from '../../../src/core/flow-callbacks.js';
import type { Receiver } from '../../../src/net/receiver.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import type { PerfRequest } from '../../../src/services/perf/messages.js';
import { PerfService } from '../../../src/services/perf/service.js';
import { ServiceHost } from '../../../src/services/service-host.js';
import { perfRequest } from '../../harness/perf-request.js';
import { SILENT, StreamWorld, TestWriter } from '../../harness/stream-world.js';
import { INTACT, LOST } from '../../harness/world.js';

const RATE_BPS = 100e6;
/** 1446 of the 1626 wire bytes that a credit and its frame take are payload. */
const IDEAL_BPS = (RATE_BPS * 1446) / 1626;

const TIMED: PerfRequest = perfRequest(1);

interface BedOptions {
  /** Takes flows in the place of a server. */
  server?: (receiver: Receiver) => FlowReader | null;
  config?: Partial<EndpointConfig>;
}

/** Host 0 is the client, host 1 the server. */
function bed(change: Partial<PerfRequest>, { server, config = {} }: BedOptions = {}) {
  const world = new StreamWorld();
  const changes = { rateBps: RATE_BPS, idleTimeoutNs: 2e9, connectTimeoutNs: 1e9, ...config };
  const clientHost = world.open(changes);
  const serverHost = world.open(changes);
  const service = new PerfService({ onOutcome: () => {} });
  const host = new ServiceHost({ services: [service], logger: SILENT });
  if (server === undefined) host.serve(serverHost);
  else serverHost.acceptReceivers(server);
  const times = { startNs: Number.NaN, endNs: Number.NaN };
  const client = new PerfClient({
    request: { ...TIMED, ...change },
    host: clientHost,
    peer: 1,
    driver: null,
    logger: SILENT,
    onStart: (nowNs) => {
      times.startNs = nowNs;
    },
    onEnd: () => {
      times.endNs = world.nowNs;
    },
  });
  return { world, client, service, host, clientHost, times };
}

describe('a client of perf', () => {
  it.each(['forward', 'reverse'] as const)('fills the link for its time, %s', async (direction) => {
    const { world, client, times } = bed({ direction });
    const outcome = await world.play(client.finished);
    const [receiver, sender] =
      direction === 'forward' ? [outcome.server, outcome.client] : [outcome.client, outcome.server];
    const { received } = receiver;
    expect(received).not.toBeNull();
    expect([receiver.sent, sender.received]).toEqual([null, null]);
    expect((received!.bytes * 8e9) / received!.durationNs / IDEAL_BPS).toBeGreaterThan(0.97);
    expect(Math.abs(received!.durationNs / 1e9 - 1)).toBeLessThan(0.01);
    expect(received!.flowBytes).toEqual([received!.bytes]);
    expect(Math.abs(times.endNs - times.startNs - 1e9)).toBeLessThan(20e6);
    expect(receiver).toMatchObject({ algorithm: 'steady', frameBytes: 1472, driver: null });
    // A credit and its frame take 130 us, and the wire 100 us both ways.
    for (const gap of [received!.creditGap, sender.sent!.creditGap])
      expect(Math.abs(gap.p50 / 130 - 1)).toBeLessThan(0.05);
    expect(received!.rtt.p50).toBeGreaterThan(200);
    const { sent, used, unused, dropped } = received!.credits;
    // The last of them may be on their way when the data ends.
    expect(sent - used - unused - dropped).toBeGreaterThanOrEqual(0);
    expect(sent - used - unused - dropped).toBeLessThan(10);
    expect(used).toBe(received!.frames);
  });

  it('moves exactly the bytes it was told to both ways at once', async () => {
    const { world, client, service } = bed({ direction: 'both', flows: 2, durationNs: null, bytes: 50_000 });
    const { client: ours, server } = await world.play(client.finished);
    expect([ours.received?.flowBytes, server.received?.flowBytes]).toEqual([
      [50_000, 50_000],
      [50_000, 50_000],
    ]);
    expect([ours.sent, server.sent]).not.toContain(null);
    await world.playUntil(() => service.testCount === 0);
  });

  it('exchanges messages in a row, and knows what one way took', async () => {
    const { world, client } = bed({ direction: 'exchange', durationNs: null, bytes: 5_000, lengthBytes: 100 });
    const { exchange, server } = await world.play(client.finished);
    const { completion, forwardDelay, reverseDelay, uncertaintyUs } = exchange!;
    expect([completion.count, forwardDelay.count, server.received?.bytes]).toEqual([50, 50, 5_000]);
    // The wire takes 100 us both ways, and the clocks agree.
    expect(completion.min).toBeGreaterThan(200);
    expect(uncertaintyUs).toBeCloseTo(completion.min / 2, 0);
    expect(Math.abs(forwardDelay.min + reverseDelay.min - completion.min) / completion.min).toBeLessThan(0.5);
  });

  it('ends an exchange when its time is over, with the messages that are under way', async () => {
    const { world, client } = bed({ direction: 'exchange', durationNs: 100e6, lengthBytes: 3_000 });
    const { exchange, server } = await world.play(client.finished);
    expect(exchange!.completion.count).toBeGreaterThan(20);
    expect(server.received?.bytes).toBe(3_000 * exchange!.completion.count);
  });

  it('chooses the credit algorithm of a server that receives', async () => {
    const change = { window: 'naive', windowParameters: {}, durationNs: null, bytes: 300_000 };
    const { world, client, service } = bed(change);
    const states: string[][] = [];
    const accept = service.accept.bind(service);
    service.accept = (header, stream) => {
      if (header.role === 'data') states.push(Object.keys(stream.receiver.algorithmState));
      return accept(header, stream);
    };
    const { server } = await world.play(client.finished);
    expect(server.algorithm).toBe('naive');
    // `steady` remembers w and share; `naive` nothing but its rate.
    expect(states).toHaveLength(1);
    expect(states[0]).not.toContain('w');
  });

  it('hears from a server that has no such algorithm, or no such parameter', async () => {
    const unknown = bed({ window: 'bbr' });
    await expect(unknown.world.play(unknown.client.finished)).rejects.toThrow("there is no credit algorithm 'bbr'");
    const parameter = bed({ window: 'naive', windowParameters: { speed: 3 } });
    await expect(parameter.world.play(parameter.client.finished)).rejects.toThrow("'speed'");
  });

  it.each(['forward', 'reverse'] as const)(
    'moves exactly the bytes it was told to on each flow, %s',
    async (direction) => {
      const { world, client, service } = bed({ direction, flows: 3, durationNs: null, bytes: 100_000 });
      const { client: ours, server } = await world.play(client.finished);
      expect((ours.received ?? server.received)?.flowBytes).toEqual([100_000, 100_000, 100_000]);
      const { bytes, repairs, underWayBytes } = client.sample();
      expect(bytes).toEqual([100_000, 100_000, 100_000]);
      const [ours0, theirs0] = direction === 'forward' ? [0, 0] : [null, null];
      expect([repairs[2], underWayBytes[2]]).toEqual([ours0, theirs0]);
      await world.playUntil(() => service.testCount === 0);
    },
  );

  it.each(['forward', 'reverse'] as const)('measures with every tenth frame lost, %s', async (direction) => {
    const { world, client } = bed({ direction, flows: 2, durationNs: null, bytes: 300_000 });
    let frames = 0;
    world.network = () => (++frames % 10 === 0 ? LOST : INTACT);
    const { client: ours, server } = await world.play(client.finished);
    const received = ours.received ?? server.received;
    expect(received?.bytes).toBe(600_000);
    expect(received?.repairedFrames).toBeGreaterThan(10);
    expect(received?.credits.dropped).toBeGreaterThan(10);
    // A repair that was lost is sent again.
    expect((ours.sent ?? server.sent)?.lostFrames).toBeGreaterThanOrEqual(received?.repairedFrames ?? Number.NaN);
  });

  it.each(['forward', 'reverse'] as const)('leaves the time to omit out of everything, %s', async (direction) => {
    const { world, client, times } = bed({ direction, durationNs: 500e6, omitNs: 500e6, flows: 2 });
    const { client: ours, server } = await world.play(client.finished);
    const received = (ours.received ?? server.received)!;
    expect(Math.abs(times.endNs - times.startNs - 1e9)).toBeLessThan(20e6);
    expect(Math.abs(received.durationNs / 500e6 - 1)).toBeLessThan(0.04);
    expect((received.bytes * 8e9) / received.durationNs / IDEAL_BPS).toBeGreaterThan(0.97);
    expect(received.flowBytes[0] + received.flowBytes[1]).toBe(received.bytes);
    expect(Math.abs(received.bytes / (received.frames * 1446) - 1)).toBeLessThan(0.01);
    expect(Math.abs(received.rtt.count / received.frames - 1)).toBeLessThan(0.02);
    // Credits that were dropped had gaps as well.
    for (const { count } of [received.creditGap, (ours.sent ?? server.sent)!.creditGap]) {
      expect(count / received.frames).toBeGreaterThan(0.97);
      expect(count / received.frames).toBeLessThan(1.15);
    }
    expect(Math.abs(received.credits.used / received.frames - 1)).toBeLessThan(0.01);
    // Those that were under way when the measurement began are among those sent.
    const { sent, used, unused, dropped } = received.credits;
    expect(used + unused + dropped).toBeLessThanOrEqual(sent);
  });

  it('shares the link equally among its flows', async () => {
    // The first second left out, in which four flows that start at once find their shares (docs/decisions/0008-leaning.md).
    const { world, client } = bed({ flows: 4, omitNs: 1e9, durationNs: 2e9 });
    const { server } = await world.play(client.finished);
    const shares = server.received!.flowBytes;
    expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.1);
  });

  it.each(['forward', 'reverse'] as const)('tells what there is when it is interrupted, %s', async (direction) => {
    const { world, client, host } = bed({ direction, flows: 2, durationNs: null, bytes: 1e9 });
    world.run(500e6);
    client.interrupt();
    const { client: ours, server } = await world.play(client.finished);
    const received = ours.received ?? server.received;
    expect(Math.abs(received!.durationNs / 0.5e9 - 1)).toBeLessThan(0.05);
    expect((received!.bytes * 8e9) / received!.durationNs / IDEAL_BPS).toBeGreaterThan(0.9);
    expect(world.nowNs).toBeLessThan(600e6);
    await world.playUntil(() => host.streamCount === 0);
  });

  it('has nothing to tell when it is interrupted before the server answers', async () => {
    const { client } = bed({});
    client.interrupt();
    await expect(client.finished).rejects.toThrow('interrupted before the test began');
  });

  it.each([
    ['a server that never answers', 0, 'host 1 does not answer: nothing came within the connect timeout of 1s'],
    ['a server that is lost in the middle', 500e6, 'host 1 is lost: nothing came within the idle timeout of 2s'],
  ])('fails with %s', async (_, killNs, message) => {
    for (const direction of ['forward', 'reverse'] as const) {
      const { world, client } = bed({ direction });
      // Somebody has to handle it before the world is played on.
      client.finished.catch(() => {});
      if (killNs > 0) world.run(killNs);
      world.kill(1);
      world.run(3e9);
      await expect(client.finished).rejects.toMatchObject({ exitCode: 3, message });
    }
  });

  it('fails when the server ends in the middle', async () => {
    const { world, client, host } = bed({});
    client.finished.catch(() => {});
    world.run(500e6);
    await host.close();
    world.hosts[1].endpoint.closeAll(world.nowNs);
    await expect(world.play(client.finished)).rejects.toMatchObject({ exitCode: 3 });
  });

  it('fails with the words of a server that does not run the test', async () => {
    const { world, client } = bed({ flows: 8, direction: 'reverse' }, { config: { maxFlows: 4 } });
    await expect(world.play(client.finished)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('host 1: this host has 4 flows open: at most 4 are allowed'),
    });
  });

  it('fails when the host refuses flows', async () => {
    const { world, client } = bed({}, { server: () => null });
    await expect(world.play(client.finished)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('host 1 refuses the flow'),
    });
  });

  it('takes no flows from others, nor more than the test has', () => {
    const { world, client, clientHost } = bed({ direction: 'reverse' });
    const stranger = world.open();
    const writer = new TestWriter(stranger).open(0, [{ kind: 'perf', role: 'data', test: 'a1', index: 0 }]);
    client.finished.catch(() => {});
    world.run(100e6);
    expect(writer.closed).toMatchObject({ code: 'refused' });
    client.abort(new Failure(ExitCode.failed, 'enough'));
    clientHost.destroy();
  });
});

describe('a server that makes no sense', () => {
  /** Answers a client by hand. */
  function fake(...answers: Message[]) {
    const server = (receiver: Receiver): FlowReader => ({
      onData: ({ length }) => {
        receiver.release(length);
        const sender = receiver.openReply({ onWritable: () => {}, onClosed: () => {} });
        for (const answer of answers) sender.write(encodeMessage(answer));
        sender.end();
      },
      onEnd: () => {},
      onClosed: () => {},
    });
    return bed({ direction: 'reverse' }, { server });
  }

  it.each([
    [[{ kind: 'perf-ready' }, { kind: 'perf-results' }], "results make no sense: 'algorithm' must be a short word"],
    [[{ kind: 'perf-ready' }], 'ended in its trailer'],
    [[{ kind: 'verdict', ok: false, code: 'unsupported', message: 'no\u001b[2J', sha256: null }], 'no\\u001b[2J'],
    [[{ kind: 'verdict' }], 'makes no sense'],
    [[{ kind: 'perf', role: 'control' }], 'makes no sense'],
    [[{ kind: 'perf', role: 'data', test: 'a1', index: 7 }], 'no flow 7'],
    [[{ kind: 'nonsense' }], 'makes no sense'],
  ])('fails the test: %j', async (answers, why) => {
    const { world, client } = fake(...answers);
    await expect(world.play(client.finished)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining(why),
    });
  });
});
