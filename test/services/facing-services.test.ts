import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileService } from '../../src/apps/daemon/file-service.js';
import type { SenderOptions } from '../../src/net/host.js';
import { DiscardService } from '../../src/services/discard.js';
import { Fault } from '../../src/services/file/fault.js';
import { encodeMessage, type Message } from '../../src/services/file/message.js';
import { badVerdict, goodVerdict } from '../../src/services/file/verdict.js';
import { PerfService } from '../../src/services/perf/service.js';
import { ServiceHost } from '../../src/services/service-host.js';
import { type HostStream, StreamServices } from '../../src/services/stream-services.js';
import { ConnectService } from '../../src/services/tunnel/connect-service.js';
import { ListenService } from '../../src/services/tunnel/listen-service.js';
import { Tunnels } from '../../src/services/tunnel/tunnels.js';
import { perfRequest } from '../harness/perf-request.js';
import { SILENT, StreamWorld } from '../harness/stream-world.js';
import type { VirtualHost } from '../harness/virtual-host.js';

/** Beginnings of streams: each kind that there is, as it should be and spoiled, answers, and what is no message. */
const FIRST: Record<string, Message | Uint8Array> = {
  file: { kind: 'file', name: 'a.bin', bytes: 4, mode: 0o644 },
  'file with a bad name': { kind: 'file', name: '../a', bytes: 4, mode: 0o644 },
  'file without fields': { kind: 'file' },
  digest: { kind: 'digest', sha256: '0'.repeat(64) },
  'perf forward': perfRequest(2),
  'perf reverse': { ...perfRequest(4), direction: 'reverse', durationNs: 1e7 },
  'perf reverse of bytes': { ...perfRequest(4), direction: 'reverse', durationNs: null, bytes: 10_000 },
  'perf data': { kind: 'perf', role: 'data', test: 'a1', index: 0 },
  'perf without fields': { kind: 'perf' },
  discard: { kind: 'discard' },
  files: { kind: 'files' },
  'files-query': { kind: 'files-query', files: [['a.bin', 4]] },
  'files-query without fields': { kind: 'files-query' },
  answers: { kind: 'answers' },
  unknown: { kind: 'nonsense' },
  'good verdict': goodVerdict('it is complete', '0'.repeat(64)),
  'bad verdict': badVerdict(new Fault('unsupported', 'not here')),
  'verdict without fields': { kind: 'verdict' },
  'perf-ready': { kind: 'perf-ready' },
  'perf-results': { kind: 'perf-results' },
  tunnel: { kind: 'tunnel', host: '127.0.0.1', port: 9 },
  'tunnel-open': { kind: 'tunnel-open' },
  'tunnel-listen': { kind: 'tunnel-listen', host: '127.0.0.1', port: 0, token: '0'.repeat(32) },
  'tunnel-listening': { kind: 'tunnel-listening', host: '127.0.0.1', port: 9 },
  'tunnel-accepted': { kind: 'tunnel-accepted', token: '0'.repeat(32), host: '127.0.0.1', port: 9 },
  'no kind': Buffer.from('\0\0\0\x02{}'),
  'no message': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  'half a message': Buffer.from('\0\0\0\x10{"k'),
};

const ANSWERS = [
  'answers',
  'good verdict',
  'bad verdict',
  'verdict without fields',
  'perf-ready',
  'perf-results',
  'tunnel-open',
];

/** How a flow ended; undefined while it is open. */
class Outcome {
  closed: unknown = undefined;

  onWritable(): void {}

  onClosed(error: unknown): void {
    this.closed = error;
  }
}

const READER = { onData: () => {}, onEnd: () => {}, onClosed: () => {} };
const NOBODY = { onWritable: () => {}, onClosed: () => {} };
/** Flows of both hosts together that one beginning may cause: five of a perf test in each direction, an answer to each, three tries (ours). */
const MOST_FLOWS = 60;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'xpass-facing-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Two daemons as `xpass daemon` makes them, face to face; `flows` counts what either opens. */
function facing() {
  const world = new StreamWorld();
  const counts = { flows: 0 };
  const hosts = [world.open(), world.open()];
  for (const host of hosts) {
    const open = host.machine.endpoint.open.bind(host.machine.endpoint);
    host.machine.endpoint.open = (...args) => {
      counts.flows++;
      return open(...args);
    };
    const files = new FileService({ directory, overwrite: true, onOutcome: () => {} });
    const perf = new PerfService({ onOutcome: () => {} });
    new ServiceHost({
      services: [files, files.series, files.existing, perf, new DiscardService()],
      logger: SILENT,
    }).serve(host);
  }
  return { world, hosts, counts };
}

/** A flow that begins so, with an id of the test's choice: ids of a hostile peer may meet. */
function begin(
  host: VirtualHost,
  first: Message | Uint8Array,
  { id = 7, to = 1, ...options }: SenderOptions & { id?: number; to?: number } = {},
): void {
  const { random } = host.machine.endpoint;
  const draw = random.uint32.bind(random);
  random.uint32 = () => id;
  const sender = host.openSender(to, NOBODY, options);
  random.uint32 = draw;
  sender.write(first instanceof Uint8Array ? first : encodeMessage(first));
}

describe('two hosts of services that face each other', () => {
  it.each(Object.keys(FIRST))('come to rest after a stream that begins with: %s', async (name) => {
    const { world, hosts, counts } = facing();
    begin(hosts[0], FIRST[name]);
    await restsSoon(world, counts);
  });

  it.each(ANSWERS)('answer no answer: %s', async (name) => {
    const { world, hosts, counts } = facing();
    begin(hosts[0], FIRST[name]);
    await restsSoon(world, counts);
    expect(counts.flows).toBe(1);
  });

  it('take no streams that name another as their pair, but for those of a perf test', async () => {
    const { world, hosts, counts } = facing();
    begin(hosts[0], FIRST.unknown);
    begin(hosts[0], { ...perfRequest(1), durationNs: 60e9 }, { id: 8, onReply: () => READER });
    world.run(1e9);
    const taken = [7, 8].map((pairedFlowId) => {
      const outcome = new Outcome();
      hosts[0]
        .openSender(1, outcome, { pairedFlowId })
        .write(encodeMessage({ kind: 'perf', role: 'data', test: 'a1', index: 0 }));
      return outcome;
    });
    world.run(2e9);
    expect(taken).toMatchObject([{ closed: { code: 'refused' } }, { closed: undefined }]);
    expect(counts.flows).toBeLessThan(MOST_FLOWS);
  });

  it.each(Object.keys(FIRST))('come to rest where a path leads back to the host itself: %s', async (name) => {
    const { world, hosts, counts } = facing();
    begin(hosts[0], FIRST[name], { to: 0 });
    await restsSoon(world, counts);
  });

  it.each(Object.keys(FIRST))('come to rest after streams of one id in both directions: %s', async (name) => {
    const { world, hosts, counts } = facing();
    for (const id of [7, 8]) {
      begin(hosts[0], FIRST[name], { id });
      begin(hosts[1], FIRST[name], { id, to: 0 });
    }
    await restsSoon(world, counts);
  });
});

async function restsSoon(world: StreamWorld, counts: { flows: number }): Promise<void> {
  const rest = async (ns: number): Promise<void> => {
    const untilNs = world.nowNs + ns;
    // In steps, so that files and promises take their turns.
    while (world.nowNs < untilNs) {
      world.run(world.nowNs + 250e6);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await rest(5e9);
  const { flows } = counts;
  expect(flows).toBeLessThan(MOST_FLOWS);
  await rest(60e9);
  expect(counts.flows).toBe(flows);
}

/** A daemon's tunnels: what it opens by itself would be counted. */
function tunnelServices(onOpen: () => void): StreamServices {
  const tunnels = new Tunnels({ opened: () => {}, closed: () => {}, refused: () => {} });
  const openStream = (): never => {
    onOpen();
    throw new Error('nobody asked for a stream');
  };
  const listening = new ListenService({ allowed: [], tunnels, logger: SILENT, openStream });
  const connect = new ConnectService({ rules: [], tunnels });
  return new StreamServices({ services: [connect, listening], logger: SILENT });
}

function asHostStream(stream: Duplex): HostStream {
  return Object.assign(stream, { peerName: 'host 1', resetAndDestroy: () => stream.destroy() });
}

describe('two hosts of tunnels that face each other', () => {
  it.each(Object.keys(FIRST))('say one thing each at most on a stream that begins with: %s', async (name) => {
    let opened = 0;
    const [left, right] = duplexPair().map(asHostStream);
    const written = [0, 0];
    for (const [at, stream] of [left, right].entries()) {
      const write = stream.write.bind(stream) as (chunk: unknown) => boolean;
      stream.write = ((chunk: unknown) => {
        written[at]++;
        return write(chunk);
      }) as typeof stream.write;
      tunnelServices(() => opened++).take(stream);
    }
    const first = FIRST[name];
    for (const stream of [left, right]) stream.write(first instanceof Uint8Array ? first : encodeMessage(first));
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(opened).toBe(0);
    // The beginning, and an `end` with an answer, which does not come by `write`.
    expect(written).toEqual([1, 1]);
    for (const stream of [left, right]) stream.destroy();
  });
});
