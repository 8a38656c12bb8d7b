// Tested by test/loopback/bench.test.ts

import type { Forked } from '../../shared/forked.js';
import type { Workbench } from '../workbench.js';
import type { StreamFigures, StreamOrder, StreamReady, StreamVerb } from './orders.js';

/** Largest UDP payload of a host that is told of none. */
const USUAL_FRAME_BYTES = 1_472;

/** A process with one end of streams. */
export class StreamProcess {
  /** Where a server listens. */
  readonly address: string;
  private readonly child: Forked;
  private asked = 0;

  private constructor(child: Forked, { address }: StreamReady) {
    this.child = child;
    this.address = address;
  }

  static async start(bench: Workbench, order: StreamOrder): Promise<StreamProcess> {
    const child = bench.fork(order.role, 'streams/streams.child.js');
    const ready = child.next<StreamReady>((message) => 'address' in message, 'get ready');
    child.tell(order);
    return new StreamProcess(child, await ready);
  }

  /** Has it do something; resolves when it is done. */
  ask(verb: StreamVerb): Promise<StreamFigures> {
    const takesMs = 'ms' in verb ? verb.ms : 0;
    return this.child.ask('command', { command: ++this.asked, ...verb }, { takesMs });
  }
}

/** A server and a client that knows it. */
export interface StreamPair {
  readonly server: StreamProcess;
  readonly client: StreamProcess;
}

/** Starts both. */
export async function startStreams(
  bench: Workbench,
  { kind, frameBytes = USUAL_FRAME_BYTES, answerBytes = 0 }: Pick<StreamOrder, 'kind'> & Partial<StreamOrder>,
): Promise<StreamPair> {
  const order = { kind, frameBytes, answerBytes };
  const server = await StreamProcess.start(bench, { ...order, role: 'server', target: '' });
  return { server, client: await StreamProcess.start(bench, { ...order, role: 'client', target: server.address }) };
}
