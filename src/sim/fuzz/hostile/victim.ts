// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import type { Application } from '../../../core/application.js';
import type { EndpointConfig } from '../../../core/config.js';
import type { FlowReader } from '../../../core/flow-callbacks.js';
import type { ReceiverFlow } from '../../../core/receiver-flow.js';
import type { Dice } from '../dice.js';
import { fail } from '../violation.js';
import type { OwnClock } from '../watched-host.js';

/** A flow that a liar has opened, and its program: it reads all at once, nothing, or half. */
class LiarsFlow implements FlowReader {
  readonly flow: ReceiverFlow;
  private readonly clock: OwnClock;
  private readonly share: number;
  private readonly onOver: () => void;
  private unreadBytes = 0;

  constructor(flow: ReceiverFlow, { clock, share, onOver }: { clock: OwnClock; share: number; onOver: () => void }) {
    this.flow = flow;
    this.clock = clock;
    this.share = share;
    this.onOver = onOver;
  }

  /** Bytes that the host keeps for it. */
  get keptBytes(): number {
    return this.unreadBytes + this.flow.statistics.bytesHeld;
  }

  onData(bytes: Uint8Array): void {
    const read = Math.floor(bytes.length * this.share);
    this.unreadBytes += bytes.length - read;
    if (read > 0) this.flow.release(read, this.clock.nowNs);
  }

  onEnd(): void {}

  onClosed(): void {
    this.onOver();
  }
}

/** What takes flows of liars at an honest host; all others go to the usual application. */
export class Victim implements Application {
  private readonly usual: Application;
  private readonly liars: ReadonlySet<number>;
  private readonly dice: Dice;
  private readonly clock: OwnClock;
  private readonly flows = new Set<LiarsFlow>();

  constructor(usual: Application, { liars, dice, clock }: { liars: ReadonlySet<number>; dice: Dice; clock: OwnClock }) {
    this.usual = usual;
    this.liars = liars;
    this.dice = dice;
    this.clock = clock;
  }

  acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const reader = this.usual.acceptFlow(flow);
    if (reader !== null || !this.liars.has(flow.peer)) return reader;
    const share = this.dice.pick([0, 0.5, 1, 1]);
    const taken: LiarsFlow = new LiarsFlow(flow, { clock: this.clock, share, onOver: () => this.flows.delete(taken) });
    this.flows.add(taken);
    return taken;
  }

  /** What a liar sends takes no more memory than an honest peer's flow may. */
  check({ receiveWindowBytes, hostId }: EndpointConfig): void {
    for (const taken of this.flows) {
      if (taken.keptBytes <= receiveWindowBytes) continue;
      fail('bounds', `host ${hostId} keeps ${taken.keptBytes} bytes of a flow of host ${taken.flow.peer}`);
    }
  }
}
