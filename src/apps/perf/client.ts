import type { Logger } from 'pino';
import { printable } from '../../base/display.js';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { FlowReader, FlowWriter } from '../../core/flow-callbacks.js';
import { flowShare } from '../../net/host-options.js';
import type { Receiver } from '../../net/receiver.js';
import type { Sender } from '../../net/sender.js';
import { Fault } from '../../services/file/fault.js';
import { encodeMessage, type Message } from '../../services/file/message.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import { parseVerdict } from '../../services/file/verdict.js';
import { IncomingStream } from '../../services/incoming-stream.js';
import type { ExchangeResults } from '../../services/perf/exchange.js';
import { Exchanger } from '../../services/perf/exchanger.js';
import { creditChoice, type PerfRequest, parseHeader } from '../../services/perf/messages.js';
import { PerfReceiver } from '../../services/perf/receiver.js';
import { parseResults, resultsMessage, type SideResults } from '../../services/perf/results.js';
import { type PerfSample, perfSample } from '../../services/perf/sample.js';
import { PerfSender } from '../../services/perf/sender.js';
import { PerfSide } from '../../services/perf/side.js';
import type { FlowHost } from '../../services/service.js';
import type { DriverStatistics } from '../../udp/statistics.js';

export interface PerfClientOptions {
  readonly request: PerfRequest;
  readonly host: FlowHost;
  /** The server's number. */
  readonly peer: number;
  readonly driver: (() => DriverStatistics) | null;
  readonly logger: Logger;
  /** The server is ready: data flows from now on. */
  onStart(nowNs: number): void;
  /** The last data has arrived, as far as this side knows. */
  onEnd(): void;
}

/** Both sides' word. */
export interface PerfClientOutcome {
  readonly client: SideResults;
  readonly server: SideResults;
  /** Data frames of each flow that the client sends that were lost and sent again. */
  readonly retransmits: readonly number[];
  /** Of an exchange. */
  readonly exchange: ExchangeResults | null;
  /** What the server printed: lines, or its document. null of a server that was not asked, or does not tell. */
  readonly serverOutput: unknown;
}

/** Streams of the server besides those of data: its answer, or a verdict. */
const MAX_ANSWERS = 2;

/**
 * The client of one test. It opens the control stream with its request; when the server is ready it sends data, or takes the server's; when all flows
 * have ended it sends what it measured, and gets what the server did. No wait has a timeout of its own: the control stream is open all the time, so a
 * server that is lost or never answers ends it by the transport's.
 */
export class PerfClient implements FlowWriter {
  /** Resolves when the test is over; rejects with a Failure. */
  readonly finished: Promise<PerfClientOutcome>;
  private readonly options: PerfClientOptions;
  private readonly side: PerfSide;
  private readonly sender: PerfSender | null;
  private readonly receiver: PerfReceiver | null;
  private readonly control: Sender;
  private state: 'opening' | 'running' | 'measured' | 'over' = 'opening';
  private readonly exchanger: Exchanger | null;
  private isInterrupted = false;
  /** Sides of ours whose data has not ended. */
  private openSides: number;
  private streamCount = 0;
  private answer: IncomingStream | null = null;
  private ours: SideResults | null = null;
  private sentAgain: readonly number[] = [];
  private theirs: SideResults | null = null;
  private serverOutput: unknown = null;
  private resolve: (outcome: PerfClientOutcome) => void = () => {};
  private reject: (failure: Failure) => void = () => {};

  /** Opens the control stream. */
  constructor(options: PerfClientOptions) {
    const { request, host, peer, driver } = options;
    this.options = options;
    this.finished = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.side = new PerfSide(host, driver);
    this.control = host.openSender(peer, this, { onReply: (receiver) => this.accept(receiver) });
    const { direction } = request;
    this.sender = direction === 'reverse' ? null : this.newSender();
    this.exchanger =
      direction === 'exchange' && this.sender !== null
        ? new Exchanger({ request, sender: this.sender, now: () => host.now() })
        : null;
    this.receiver = direction === 'forward' ? null : this.newReceiver();
    this.openSides = this.sender !== null && this.receiver !== null ? 2 : 1;
    this.control.write(encodeMessage(request));
  }

  /** Of an exchange the answers are not counted: they are as long as what was sent. */
  sample(): PerfSample {
    const { sender, receiver, exchanger, options } = this;
    return perfSample(options.host.now(), exchanger === null ? [sender, receiver] : [sender]);
  }

  /** Ends the test early: `finished` resolves with what there is, or rejects when there is nothing. */
  interrupt(): void {
    if (this.state === 'opening') this.fail(new Failure(ExitCode.failed, 'interrupted before the test began'));
    else if (this.state === 'running') {
      this.isInterrupted = true;
      if (this.exchanger !== null) this.exchanger.end();
      else if (this.sender !== null) this.sender.end();
      else this.measure();
    }
  }

  /** Gives the test up: `finished` rejects with `failure`. */
  abort(failure: Failure): void {
    this.fail(failure);
  }

  onWritable(): void {}

  /** The control stream is closed. */
  onClosed(error: XpassError | null): void {
    if (error !== null) this.failFor(error);
  }

  /** The server opens a stream that names the control stream. */
  private accept(receiver: Receiver): FlowReader | null {
    const { request, host, logger } = this.options;
    if (this.streamCount >= request.flows + MAX_ANSWERS) return null;
    this.streamCount++;
    return new IncomingStream({
      receiver,
      host,
      logger,
      accept: (header, stream) => this.route(header, stream),
      onRefused: (fault) => this.failWith(fault),
      onClosed: (closed, error) => this.handleStreamClosed(closed, error),
    });
  }

  private newSender(): PerfSender {
    const { request, host } = this.options;
    const { peer, id } = this.control;
    const options = { ...flowShare(request.share ?? {}), pairedFlowId: id };
    return new PerfSender({
      request,
      host,
      open: (writer) => host.openSender(peer, writer, options),
      onDone: (error) => {
        if (error === null) this.handleSideDone();
        else this.failFor(error);
      },
    });
  }

  private newReceiver(): PerfReceiver {
    const { request, host } = this.options;
    return new PerfReceiver({
      request,
      now: () => host.now(),
      onBytes: (index, bytes) => this.exchanger?.take(index, bytes),
      onDone: (fault) => {
        if (fault === null) this.handleSideDone();
        else this.failUnlessLost(fault);
      },
    });
  }

  private route(header: Message, stream: IncomingStream): TransferBody | Fault {
    switch (header.kind) {
      case 'perf-ready':
        return this.takeAnswer(stream);
      case 'verdict':
        return this.takeVerdict(header);
      default:
        return this.takeData(header, stream);
    }
  }

  private takeAnswer(stream: IncomingStream): TransferBody | Fault {
    if (this.answer !== null) return new Fault('badMessage', 'the server is ready twice');
    this.answer = stream;
    this.begin();
    this.sender?.open();
    this.sender?.start();
    this.exchanger?.start();
    return {
      bodyBytes: 0,
      hasTrailer: true,
      onBody: () => {},
      onEnd: (trailer) => this.takeResults(trailer),
      onFault: (fault) => this.failUnlessLost(fault),
    };
  }

  /** The server is ready: it says so, or its data is there first. */
  private begin(): void {
    if (this.state !== 'opening') return;
    this.state = 'running';
    const { host, onStart } = this.options;
    onStart(host.run((nowNs) => nowNs));
  }

  /** The server does not run the test. */
  private takeVerdict(header: Message): TransferBody | Fault {
    const verdict = parseVerdict(header);
    if (verdict instanceof Fault) return verdict;
    const isOlder = verdict.code === 'badMessage' && creditChoice(this.options.request) !== null;
    const hint = isOlder
      ? '; a server of an older version takes no credit algorithm from its client: give it there'
      : '';
    return new Fault('unsupported', verdict.message + hint);
  }

  private takeData(header: Message, stream: IncomingStream): TransferBody | Fault {
    const parsed = parseHeader(header);
    if (parsed instanceof Fault) return parsed;
    if (parsed.role !== 'data' || this.receiver === null)
      return new Fault('badMessage', 'nobody asked for this stream');
    this.begin();
    return this.receiver.accept(parsed.index, stream.receiver);
  }

  /** After an interrupt nobody waits for what the server still sends. */
  private handleSideDone(): void {
    this.openSides--;
    if (this.openSides === 0 || (this.isInterrupted && this.exchanger === null)) this.measure();
  }

  /** The data has ended: both sides tell what they measured. */
  private measure(): void {
    if (this.state !== 'running') return;
    this.state = 'measured';
    this.options.onEnd();
    const { sender, receiver, control } = this;
    const results = this.side.results({
      ...(receiver !== null && { received: receiver.results() }),
      ...(sender !== null && { sent: sender.results() }),
    });
    this.ours = results;
    this.sentAgain = sender?.retransmits() ?? [];
    this.options.host.run(() => {
      control.write(encodeMessage(resultsMessage(results)));
      control.end();
    });
  }

  private takeResults(trailer: Message | null): void {
    const { request } = this.options;
    const results = parseResults(trailer ?? { kind: '' }, request.flows);
    if (results instanceof Fault) this.failWith(results);
    else {
      this.theirs = results;
      this.serverOutput = trailer?.output ?? null;
    }
  }

  /** After an interrupt the server gives up its data; then only its answer counts. */
  private handleStreamClosed(stream: IncomingStream, error: XpassError | null): void {
    const { ours, theirs } = this;
    if (stream === this.answer && ours !== null && theirs !== null)
      this.succeed({
        client: ours,
        server: theirs,
        retransmits: this.sentAgain,
        exchange: this.exchanger?.results ?? null,
        serverOutput: this.serverOutput,
      });
    else if (error !== null && (stream === this.answer || this.state !== 'measured')) {
      this.failFor(error);
    }
  }

  private succeed(outcome: PerfClientOutcome): void {
    if (this.state === 'over') return;
    this.release();
    this.resolve(outcome);
  }

  private failFor(error: XpassError): void {
    this.fail(failureOf(error) as Failure);
  }

  private fail(failure: Failure): void {
    if (this.state === 'over') return;
    this.release();
    this.reject(failure);
  }

  /** A flow that was lost tells more when it closes, right after this. */
  private failUnlessLost(fault: Fault): void {
    if (fault.code !== 'aborted') this.failWith(fault);
  }

  private failWith({ message }: Fault): void {
    const server = this.options.host.peerName(this.control.peer);
    this.fail(new Failure(ExitCode.failed, `${server}: ${printable(message)}`));
  }

  private release(): void {
    this.state = 'over';
    this.control.forgetReplies();
    this.sender?.abort();
    this.receiver?.abort();
  }
}
