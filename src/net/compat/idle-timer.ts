// Tested by test/loopback/net-conformance.test.ts
import type { EventEmitter } from 'node:events';
import { codedRangeError, codedTypeError } from './errors.js';

/** Longest time of a timer of Node.js. */
const MAX_MS = 2 ** 31 - 1;

/** Emits 'timeout' on a socket that has been idle: socket.setTimeout of node:net. */
export class IdleTimer {
  /** Ms, as it was set; undefined before. */
  timeout: number | undefined;
  private readonly socket: EventEmitter;
  private timer: NodeJS.Timeout | null = null;

  constructor(socket: EventEmitter) {
    this.socket = socket;
  }

  set(ms: number, callback?: () => void): void {
    checkTime(ms);
    if (callback !== undefined && typeof callback !== 'function') {
      throw codedTypeError('ERR_INVALID_ARG_TYPE', 'The "callback" argument must be of type function.');
    }
    this.stop();
    this.timeout = ms;
    if (ms === 0) {
      if (callback !== undefined) this.socket.removeListener('timeout', callback);
      return;
    }
    this.timer = setTimeout(() => this.socket.emit('timeout'), Math.min(ms, MAX_MS)).unref();
    if (callback !== undefined) this.socket.once('timeout', callback);
  }

  /** There was traffic. */
  touch(): void {
    this.timer?.refresh();
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

function checkTime(ms: unknown): void {
  if (typeof ms !== 'number') {
    throw codedTypeError('ERR_INVALID_ARG_TYPE', `The "msecs" argument must be of type number. Received ${typeof ms}`);
  }
  if (ms >= 0 && Number.isFinite(ms)) return;
  const message = `The value of "msecs" is out of range. It must be a non-negative finite number. Received ${ms}`;
  throw codedRangeError('ERR_OUT_OF_RANGE', message);
}
