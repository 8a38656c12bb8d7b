import { describe, expect, it } from 'vitest';
import { type Datapath, type DatapathHandlers, NOBODY, noCounts } from '../../src/udp/datapath.js';
import { HostConnection, type HostMachine, ONLY_PEER } from '../../src/udp/host-connection.js';
import { FramePool } from '../../src/wire/frame.js';

const FRAME_BYTES = 1_472;
const FROM = { address: '127.0.0.1', port: 9000 };

/** A datapath whose datagrams the test hands over. */
class HandDatapath implements Datapath {
  readonly info = {
    kind: 'dgram',
    local: { address: '127.0.0.1', port: 4000, family: 4 },
    receiveBufferBytes: 65_536,
    sendBufferBytes: 65_536,
    warnings: [],
  } as const;
  readonly counters = noCounts();
  readonly isBlocked = false;
  readonly lendsBytes = false;
  handlers: DatapathHandlers = NOBODY;

  start(handlers: DatapathHandlers): void {
    this.handlers = handlers;
  }

  takeArrived(): void {}
  send(): void {}
  flush(): void {}
  checkNext(): void {}
  problems = () => ({});
  close = () => Promise.resolve();
}

/** What the machine of a host sees of `count` datagrams that were read together: f for a frame, a for each time that it advances. */
async function batchOf(count: number): Promise<string> {
  const datapath = new HandDatapath();
  const connection = new HostConnection({ onlyPeer: { host: '127.0.0.1', port: 9000 } }, datapath, null);
  let seen = '';
  const machine: HostMachine = {
    handleFrame: ({ peer }) => {
      seen += peer === ONLY_PEER ? 'f' : '?';
    },
    advance: () => {
      seen += 'a';
    },
    poll: () => null,
    nextTimeout: () => Number.POSITIVE_INFINITY,
  };
  connection.start(machine, new FramePool(() => new Uint8Array(FRAME_BYTES), 0), FRAME_BYTES);
  seen = '';
  for (let index = 0; index < count; index++) datapath.handlers.onDatagram(new Uint8Array(30), 30, FROM, -1);
  datapath.handlers.onBatchEnd();
  const batches = seen;
  await connection.close();
  return batches;
}

const run = (frames: number) => `${'f'.repeat(frames)}a`;

describe('datagrams that were read together', () => {
  it('are given to the machine before it is drained, 64 at most', async () => {
    expect(await batchOf(3)).toBe(run(3));
    expect(await batchOf(64)).toBe(run(64));
    expect(await batchOf(70)).toBe(run(64) + run(6));
  });
});
