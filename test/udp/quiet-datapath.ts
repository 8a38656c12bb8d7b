import { type Datapath, type DatapathHandlers, NOBODY, noCounts } from '../../src/udp/datapath.js';
import type { Frame } from '../../src/wire/frame.js';

/** A datapath without a socket: tests hand over what arrives to its `handlers`, and say what becomes of what is sent. */
export abstract class QuietDatapath implements Datapath {
  readonly info = {
    kind: 'dgram',
    local: { address: '127.0.0.1', port: 4000, family: 4 },
    receiveBufferBytes: 65_536,
    sendBufferBytes: 65_536,
    warnings: [],
  } as const;
  readonly counters = noCounts();
  readonly lendsBytes = false;
  flushes = 0;
  handlers: DatapathHandlers = NOBODY;

  get isBlocked(): boolean {
    return false;
  }

  start(handlers: DatapathHandlers): void {
    this.handlers = handlers;
  }

  takeArrived(): void {}

  abstract send(frame: Frame): void;

  flush(): void {
    this.flushes++;
  }

  checkNext(): void {}
  keepAlive(): void {}
  problems = () => ({});
  close = () => Promise.resolve();
}
