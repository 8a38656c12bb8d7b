// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { openHost } from '../../net/host.js';
import { DurationHistogram, type Percentiles } from '../../services/perf/histogram.js';
import { formatAddress } from '../../udp/address.js';
import { keepYoungGenerationSmall, markRarely } from '../shared/v8-flags.js';
import { serve } from './child-program.js';
import { CHUNK, type DuplexTransport } from './peers/stream-carrier.js';
import { TCP } from './peers/tcp.js';

/** One end of streams in a process of its own. Started by streams.ts, which tells it what to do. */
export interface StreamOrder {
  /** Who carries the streams: both give Duplexes. */
  readonly kind: 'xpass' | 'tcp';
  readonly role: 'server' | 'client';
  /** Largest UDP payload, of xpass only. */
  readonly frameBytes: number;
  /** Where the client finds its server. */
  readonly target: string;
  /** A server answers each request of this many bytes with as many; 0: it reads and drops. */
  readonly answerBytes: number;
}

export interface StreamReady {
  /** Where a server listens. */
  readonly address: string;
}

export type StreamVerb =
  /** A server: tell what has come since it was last asked. */
  | { readonly verb: 'take' }
  /** A client: write without end on one stream. */
  | { readonly verb: 'bulk' }
  /** A client: requests on one open stream, each once the answer to the one before is whole. */
  | ({ readonly verb: 'exchange' } & Work)
  /** A client: streams one after the other, each from its opening to the first byte of the answer to its first request. */
  | ({ readonly verb: 'open' } & Work);

/** Work for a client, measured where it is done: no clock is shared with the server. */
interface Work {
  readonly bytes: number;
  readonly ms: number;
}

export interface StreamFigures {
  readonly bytes: number;
  /** Since it was asked before, or since the start. */
  readonly seconds: number;
  /** Of requests, or openings. */
  readonly times: Percentiles;
}

/** Streams over xpass with the options of a program that gives none but the frame size. */
function xpassStreams(frameSize: number): DuplexTransport {
  // As in the processes of the one-way flows beside them.
  keepYoungGenerationSmall();
  markRarely();
  return {
    listen: async (accept) => {
      const host = await openHost({ frameSize });
      host.serve(accept);
      return formatAddress(host.local);
    },
    dial: async (target) => {
      const host = await openHost({ frameSize, peer: target });
      return () => host.createStream(target);
    },
  };
}

const times = new DurationHistogram();
let bytesCome = 0;
let sinceMs = performance.now();
let openStream = (): Duplex => {
  throw new Error('a server opens no streams');
};
/** Of a client that exchanges. */
let stream: Duplex | null = null;

serve(async ({ kind, role, frameBytes, target, answerBytes }: StreamOrder) => {
  const transport = kind === 'tcp' ? TCP : xpassStreams(frameBytes);
  let address = '';
  if (role === 'client') openStream = await transport.dial(target);
  else address = await transport.listen(answerBytes === 0 ? drop : answering(answerBytes));
  return { ready: { address }, obey };
});

async function obey(command: StreamVerb): Promise<StreamFigures> {
  times.reset();
  if (command.verb === 'bulk') await sendEndlessly();
  else if (command.verb === 'exchange') await exchange(command);
  else if (command.verb === 'open') await openOneByOne(command);
  const [bytes, fromMs] = [bytesCome, sinceMs];
  bytesCome = 0;
  sinceMs = performance.now();
  return { bytes, seconds: (sinceMs - fromMs) / 1e3, times: times.percentiles() };
}

/** A client that breaks off counts that itself, here and below. */
function drop(from: Duplex): void {
  from.on('data', (part: Uint8Array) => {
    bytesCome += part.length;
  });
  from.on('error', () => undefined);
}

function answering(answerBytes: number): (from: Duplex) => void {
  const answer = new Uint8Array(answerBytes);
  return (from) => {
    let missing = answerBytes;
    from.on('data', (part: Uint8Array) => {
      missing -= part.length;
      if (missing > 0) return;
      missing += answerBytes;
      from.write(answer);
    });
    from.on('error', () => undefined);
  };
}

async function connected(): Promise<Duplex> {
  const opened = openStream();
  await once(opened, 'connect');
  return opened;
}

/** Goes on until the process ends. */
async function sendEndlessly(): Promise<void> {
  const to = await connected();
  const pump = (): void => {
    while (to.write(CHUNK));
  };
  to.on('drain', pump);
  pump();
}

async function exchange({ bytes, ms }: Work): Promise<void> {
  stream ??= await connected();
  const peer = stream;
  const request = new Uint8Array(bytes);
  const endMs = performance.now() + ms;
  await new Promise<void>((resolve) => {
    let sentMs = 0;
    let missing = 0;
    const ask = (): void => {
      missing = bytes;
      sentMs = performance.now();
      peer.write(request);
    };
    const take = (part: Uint8Array): void => {
      missing -= part.length;
      if (missing > 0) return;
      const nowMs = performance.now();
      times.record((nowMs - sentMs) * 1e6);
      if (nowMs < endMs) {
        ask();
        return;
      }
      peer.off('data', take);
      resolve();
    };
    peer.on('data', take);
    ask();
  });
}

async function openOneByOne({ bytes, ms }: Work): Promise<void> {
  const request = new Uint8Array(bytes);
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const opened = openStream();
    opened.write(request);
    await once(opened, 'data');
    times.record((performance.now() - startMs) * 1e6);
    const closed = once(opened, 'close');
    opened.resume();
    opened.end();
    await closed;
  }
}
