// Tested by test/services/perf/service.test.ts

import type { XpassError } from '../../base/errors.js';
import type { CreditChoice } from '../../core/application.js';
import type { FlowWriter } from '../../core/flow-callbacks.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';
import type { FlowOptions } from '../../net/host-options.js';
import { flowShare } from '../../net/host-options.js';
import type { Sender } from '../../net/sender.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { ResetCode } from '../../wire/layout.js';
import { Fault } from '../file/fault.js';
import { encodeMessage, type Message } from '../file/message.js';
import type { TransferBody } from '../file/transfer-reader.js';
import type { ServedStream } from '../service.js';
import { Echo } from './exchanger.js';
import { creditChoice, type PerfReady, type PerfRequest } from './messages.js';
import { PerfReceiver } from './receiver.js';
import { parseResults, type ReceivedResults, resultsMessage, type SideResults } from './results.js';
import { type PerfSample, perfSample } from './sample.js';
import { PerfSender } from './sender.js';
import { PerfSide } from './side.js';

const READY: PerfReady = { kind: 'perf-ready' };

/** How the data flows of a test in reverse are opened: as the client wants them. */
function openOptions({ window, windowParameters, share = {} }: PerfRequest): FlowOptions {
  return { ...(isWindowAlgorithm(window) && { algorithm: window, set: windowParameters }), ...flowShare(share) };
}

/** What became of one test. */
export interface PerfOutcome {
  readonly peerName: string;
  readonly request: PerfRequest;
  /** What the data's receiver measured; null when the client was lost or gave up. */
  readonly received: ReceivedResults | null;
  /** What both sides said; null when the client was lost or gave up. Of the client null when it makes no sense. */
  readonly sides: { readonly client: SideResults | null; readonly server: SideResults } | null;
}

export interface PerfSessionOptions {
  readonly request: PerfRequest;
  /** The control stream. */
  readonly stream: ServedStream;
  readonly driver: (() => DriverStatistics) | null;
  /** What the server prints of a test that is over, for a client that asks; null for none. */
  output?(outcome: PerfOutcome): unknown;
  /** Called exactly once, when nothing of the session is left. */
  onOutcome(outcome: PerfOutcome): void;
}

/**
 * The server's part of one test. Its control stream, whose body this is, lasts as long as the test: a lost client ends it by the idle timeout. What
 * the client measured comes as the stream's trailer and ends the test; the answer stream then carries what was measured here.
 */
export class PerfSession implements TransferBody, FlowWriter {
  readonly bodyBytes = 0;
  readonly hasTrailer = true;
  readonly peer: number;
  /** The id of the control stream's flow. */
  readonly controlId: number;
  private readonly options: PerfSessionOptions;
  private readonly side: PerfSide;
  private readonly receiver: PerfReceiver | null;
  private readonly sender: PerfSender | null;
  private answer: Sender | null = null;
  private isOver = false;

  constructor(options: PerfSessionOptions) {
    const { request, stream, driver } = options;
    const { host, receiver: control } = stream;
    this.options = options;
    this.peer = control.peer;
    this.controlId = control.id;
    this.side = new PerfSide(host, driver);
    const { direction } = request;
    // Whatever ends a flow early ends the control stream as well, or the client tells why.
    const onDone = (): void => {};
    this.sender =
      direction === 'forward'
        ? null
        : new PerfSender({
            request,
            host,
            open: (writer) => control.openReply(writer, openOptions(request)),
            onDone,
          });
    this.receiver = direction === 'reverse' ? null : this.newReceiver();
  }

  get peerName(): string {
    return this.options.stream.peerName;
  }

  get request(): PerfRequest {
    return this.options.request;
  }

  /** What the client wants for the credits of its data. */
  get creditChoice(): CreditChoice | null {
    return creditChoice(this.options.request);
  }

  /** Answers that data may come, or begins to send it. Throws XpassError when a flow cannot be opened; `abort` is to follow. */
  start(): void {
    // First of all, so that a test for which there is no room leaves no answer that has begun.
    this.sender?.open();
    this.answer = this.options.stream.receiver.openReply(this);
    this.answer.write(encodeMessage(READY));
    this.sender?.start();
  }

  /** A stream of the test's data has come. */
  acceptData(index: number, stream: ServedStream): TransferBody | Fault {
    return (
      this.receiver?.accept(index, stream.receiver) ??
      new Fault('badMessage', 'the data of this test goes the other way')
    );
  }

  /** Bytes of each flow that have arrived, as far as this side knows: first those that the client sends. */
  progress(): number[] {
    return [...(this.receiver?.progress() ?? []), ...(this.sender?.progress() ?? [])];
  }

  sample(): PerfSample {
    return perfSample(this.options.stream.host.now(), [this.receiver, this.sender]);
  }

  private newReceiver(): PerfReceiver {
    const { request, stream } = this.options;
    const { sender } = this;
    const shared = { request, now: () => stream.host.now(), onDone: () => {} };
    if (request.direction !== 'exchange' || sender === null) return new PerfReceiver(shared);
    const echo = new Echo({ request, sender, now: shared.now });
    return new PerfReceiver({
      ...shared,
      onBytes: (index, bytes) => echo.take(index, bytes),
      onFlowEnd: (index) => sender.endFlow(index),
    });
  }

  onBody(): void {}

  /** The client has ended the test. */
  onEnd(trailer: Message | null): void {
    const { answer, receiver, sender } = this;
    if (answer === null || this.isOver) return;
    const { request } = this.options;
    const own = this.side.results({
      ...(receiver !== null && { received: receiver.results() }),
      ...(sender !== null && { sent: sender.results() }),
    });
    const ours = { ...own, algorithm: this.creditChoice?.name ?? own.algorithm };
    const client = trailer === null ? null : parseResults(trailer, request.flows);
    const sides = { client: client instanceof Fault ? null : client, server: ours };
    const output = request.output === undefined ? null : (this.options.output?.(this.outcomeOf(sides)) ?? null);
    answer.write(encodeMessage({ ...resultsMessage(ours), ...(output !== null && { output }) }));
    answer.end();
    this.finish(sides);
  }

  /** The client is lost or makes no sense. */
  onFault(): void {
    this.abort();
  }

  onWritable(): void {}

  /** The answer is closed. A client that does not take it, for the size of its frames perhaps, hears so on its own stream, on which it waits. */
  onClosed(error: XpassError | null): void {
    this.answer = null;
    if (error === null || this.isOver) return;
    this.abort();
    const code = error.code === 'frameSize' ? ResetCode.frameSize : ResetCode.aborted;
    this.options.stream.receiver.reset(code);
  }

  /** Gives up what is under way, with this code of a RESET. */
  abort(code: number = ResetCode.aborted): void {
    const { answer } = this;
    this.answer = null;
    if (!this.isOver) answer?.reset(code);
    this.finish(null, code);
  }

  private finish(sides: PerfOutcome['sides'], code?: number): void {
    if (this.isOver) return;
    this.isOver = true;
    this.receiver?.abort();
    this.sender?.abort(code);
    this.options.onOutcome(this.outcomeOf(sides));
  }

  private outcomeOf(sides: PerfOutcome['sides']): PerfOutcome {
    const { request, stream } = this.options;
    const received = sides?.server.received ?? sides?.client?.received ?? null;
    return { peerName: stream.peerName, request, received, sides };
  }
}
