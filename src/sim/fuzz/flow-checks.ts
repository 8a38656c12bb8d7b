// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { EndpointConfig } from '../../core/config.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import type { SenderFlow } from '../../core/sender-flow.js';
import type { FlowRun } from '../flow-run.js';
import type { FlowTrail } from './flow-trail.js';
import { fail } from './violation.js';

/** Looks at both ends of one flow. What its bytes are, the run itself sees (`FlowRun.onData`). */
export class FlowChecks {
  readonly run: FlowRun;
  private readonly trail: FlowTrail;
  private readonly config: EndpointConfig;
  private deliveredBytes = 0;
  private sentBytes = 0;

  /** `config`: of the receiver's endpoint. */
  constructor(run: FlowRun, trail: FlowTrail, config: EndpointConfig) {
    this.run = run;
    this.trail = trail;
    this.config = config;
  }

  check(): void {
    const { run } = this;
    if (run.sender !== null && !run.sender.isClosed) this.checkSender(run.sender);
    this.checkStream();
    if (run.receiver !== null) this.checkReceiver(run.receiver);
  }

  private get name(): string {
    const { plan } = this.run;
    return `flow ${plan.id} from host ${plan.from} to host ${plan.to}`;
  }

  /** Bytes that arrive were sent, and what has arrived stays so. */
  private checkStream(): void {
    const { deliveredBytes, plan, sender } = this.run;
    if (deliveredBytes < this.deliveredBytes) fail('stream', `${this.name} took back bytes that it had delivered`);
    if (deliveredBytes > plan.bytes) fail('stream', `${this.name} delivered ${deliveredBytes} of ${plan.bytes} bytes`);
    if (sender !== null && !sender.isClosed && deliveredBytes > this.sentBytes) {
      fail('stream', `${this.name} delivered ${deliveredBytes} bytes, ${this.sentBytes} were sent`);
    }
    this.deliveredBytes = deliveredBytes;
  }

  private checkSender(sender: SenderFlow): void {
    const { statistics } = sender;
    const { bytesWritten, bytesSent, bytesAcknowledged, dataFrames, creditsReceived, creditsUnused, creditsKept } =
      statistics;
    const isReactive = statistics.windowFrames > 0;
    this.sentBytes = bytesSent;
    if (bytesAcknowledged > bytesSent || bytesSent > bytesWritten || bytesWritten > this.run.plan.bytes) {
      fail(
        'stream',
        `${this.name} wrote ${bytesWritten} bytes, sent ${bytesSent}, and ${bytesAcknowledged} are acknowledged`,
      );
    }
    if (!isReactive && creditsReceived !== dataFrames + creditsUnused + creditsKept) {
      fail(
        'credits',
        `${this.name} got ${creditsReceived} credits, spent ${dataFrames}, left ${creditsUnused} and keeps ${creditsKept}`,
      );
    }
    if (creditsReceived > this.trail.creditsLeft) {
      fail('credits', `${this.name} got ${creditsReceived} credits, the network delivered ${this.trail.creditsLeft}`);
    }
    const { speculativeFrames, speculativeTakenBack } = statistics;
    if (speculativeFrames - speculativeTakenBack < this.trail.speculativeEntered) {
      fail(
        'speculative',
        `${this.name} sent ${speculativeFrames} speculative frames, the network got ${this.trail.speculativeEntered}`,
      );
    }
    if (dataFrames < this.trail.dataEntered) {
      fail('credits', `${this.name} sent ${dataFrames} data frames, the network got ${this.trail.dataEntered}`);
    }
  }

  /** Every credit has one fate, and what it holds fits its window. PROTOCOL §4.5, §5.6 */
  private checkReceiver(receiver: ReceiverFlow): void {
    const { statistics: seen } = receiver;
    const { creditsSent, creditsUsed, creditsUnused, creditsDropped, creditsOutstanding, creditsLostAtHome } = seen;
    if (creditsSent !== creditsUsed + creditsUnused + creditsDropped + creditsOutstanding + creditsLostAtHome) {
      fail(
        'credits',
        `${this.name}: of ${creditsSent} credits ${creditsUsed} are used, ${creditsUnused} unused, ${creditsDropped} dropped, ${creditsOutstanding} outstanding`,
      );
    }
    if (Math.min(creditsUsed, creditsUnused, creditsDropped, creditsOutstanding, creditsLostAtHome) < 0) {
      fail('credits', `${this.name} counts credits below zero`);
    }
    if (creditsOutstanding > this.config.maxOutstandingCredits) {
      fail('bounds', `${this.name} has ${creditsOutstanding} credits outstanding`);
    }
    if (creditsSent < this.trail.creditsEntered) {
      fail('credits', `${this.name} sent ${creditsSent} credits, the network got ${this.trail.creditsEntered}`);
    }
    if (creditsUsed > this.trail.dataLeft || seen.dataFrames > this.trail.dataLeft) {
      fail(
        'credits',
        `${this.name} got data for ${creditsUsed} credits, the network delivered ${this.trail.dataLeft} frames`,
      );
    }
    if (seen.speculativeFrames > this.trail.speculativeLeft) {
      fail(
        'speculative',
        `${this.name} got ${seen.speculativeFrames} speculative frames, the network delivered ${this.trail.speculativeLeft}`,
      );
    }
    if (seen.bytesHeld > this.config.receiveWindowBytes || seen.bytesHeld < 0) {
      fail('bounds', `${this.name} holds ${seen.bytesHeld} bytes`);
    }
    if (!receiver.isClosed && seen.bytesDelivered !== this.run.deliveredBytes) {
      fail('stream', `${this.name} delivered ${seen.bytesDelivered} bytes, ${this.run.deliveredBytes} came out`);
    }
  }
}
