import { jainIndex } from '../../sim/measure/jain.js';

/** A test under way, as far as its share needs it. */
export interface SharingTest {
  readonly peerName: string;
  progress(): number[];
}

/** What each client at a server had of an interval. */
export interface Shares {
  readonly startS: number;
  readonly endS: number;
  readonly clients: readonly { readonly peer: string; readonly bytes: number; readonly share: number }[];
  /** Jain's index over the clients; NaN when nothing came. */
  readonly jain: number;
}

/** Tells what each client's tests got since it was asked last. */
export class ShareMeter {
  private readonly startNs: number;
  private lastNs: number;
  private bytesBefore = new Map<SharingTest, number>();

  constructor(startNs: number) {
    this.startNs = startNs;
    this.lastNs = startNs;
  }

  /** null when no test is under way. */
  cut(nowNs: number, tests: readonly SharingTest[]): Shares | null {
    const [startS, endS] = [this.lastNs, nowNs].map((ns) => (ns - this.startNs) / 1e9);
    this.lastNs = nowNs;
    const bytes = new Map(tests.map((test) => [test, test.progress().reduce((sum, count) => sum + count, 0)]));
    const got = tests.map((test) => (bytes.get(test) ?? 0) - (this.bytesBefore.get(test) ?? 0));
    this.bytesBefore = bytes;
    if (tests.length === 0) return null;
    const total = got.reduce((sum, count) => sum + count, 0);
    const clients = tests.map(({ peerName }, at) => ({ peer: peerName, bytes: got[at], share: got[at] / total }));
    return { startS, endS, clients, jain: jainIndex(got) };
  }
}
