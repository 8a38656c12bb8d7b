import { pino } from 'pino';
import type { XpassError } from '../../../src/base/errors.js';
import type { FlowWriter } from '../../../src/core/flow-callbacks.js';
import type { Receiver } from '../../../src/net/receiver.js';
import type { Sender } from '../../../src/net/sender.js';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message, MessageDecoder } from '../../../src/services/file/message.js';
import { TransferReader } from '../../../src/services/file/transfer-reader.js';
import type { FlowHost, ServedStream, StreamService } from '../../../src/services/service.js';
import type { Input } from '../engine/input.js';
import { must } from '../engine/target.js';

const SILENT = pino({ level: 'silent' });
const NOTHING = {} as never;
/** Of all that one input's streams say. */
const MOST_ANSWERS = 1_000;

/** A stream of a peer that a service serves, without a flow: its bytes come from the input, and its answers are read. */
export class HostileStream implements ServedStream {
  readonly peerName = 'host 1';
  readonly logger = SILENT;
  readonly host: FlowHost;
  readonly receiver: Receiver;
  readonly answers: Message[] = [];
  readonly refusals: Fault[] = [];
  pushed = 0;
  /** Everything that came, as text. */
  said = '';
  released = 0;
  isReset = false;
  private readonly reader: TransferReader;

  constructor(service: StreamService, id: number, nowNs: () => number) {
    this.host = fakeHost(nowNs);
    this.receiver = this.fakeReceiver(id);
    this.reader = new TransferReader({
      accept: (header) => {
        if (header.kind !== service.kind) return new Fault('unsupported', 'no such service');
        return service.accept(header, this);
      },
      onRefused: (fault) => void this.refusals.push(fault),
      onFraming: (bytes) => {
        this.released += bytes;
      },
    });
  }

  push(bytes: Uint8Array): void {
    // Valid only during the call: whoever keeps it finds other bytes.
    const lent = bytes.slice();
    this.pushed += lent.length;
    this.said += Buffer.from(lent).toString('latin1');
    this.reader.push(lent);
    lent.fill(0xee);
    must(this.released <= this.pushed, 'no more is released than came');
  }

  end(): void {
    this.reader.end();
  }

  abort(): void {
    this.reader.abort(new Fault('aborted', 'the flow is lost'));
  }

  reply(message: Message): void {
    this.answers.push(readBack(encodeMessage(message)));
    must(this.answers.length < MOST_ANSWERS, 'a stream has no end of answers');
  }

  answer(message: Message): void {
    this.reply(message);
  }

  /** As far as services use it. */
  private fakeReceiver(id: number): Receiver {
    const statistics = { creditsSent: 0, creditsUsed: 0, creditsUnused: 0, creditsDropped: 0, bytesDelivered: 0 };
    const receiver = {
      id,
      peer: 1,
      peerName: this.peerName,
      pairedFlowId: 0,
      isClosed: false,
      statistics,
      observer: null,
      release: (bytes: number) => {
        must(bytes >= 0, 'what is released is no less than nothing');
        this.released += bytes;
      },
      mayKeep: () => false,
      reset: () => {
        this.isReset = true;
      },
      openReply: (writer: FlowWriter) => fakeSender(this, writer),
    };
    return receiver as unknown as Receiver;
  }
}

function fakeSender(stream: HostileStream, writer: FlowWriter): Sender {
  const decoder = new MessageDecoder();
  const close = (error: XpassError | null) => writer.onClosed(error);
  const sender = {
    id: 99,
    peer: 1,
    isClosed: false,
    statistics: NOTHING,
    freeBytes: 65_536,
    write: (bytes: Uint8Array) => {
      decoder.push(bytes, 0);
      if (decoder.result !== null && !(decoder.result instanceof Fault)) stream.answers.push(decoder.result);
      return true;
    },
    end: () => close(null),
    reset: () => undefined,
  };
  return sender as unknown as Sender;
}

function fakeHost(nowNs: () => number): FlowHost {
  const host = {
    creditAlgorithm: 'steady',
    frameBytes: 1_472,
    info: { kind: 'dgram', local: { address: '', port: 0, family: 4 }, warnings: [] },
    link: { hostId: 2, rateBps: 1e9, maxFrameBytes: 1_472 },
    now: nowNs,
    peerName: () => 'host 1',
    run: (action: (atNs: number) => unknown) => action(nowNs()),
  };
  return host as unknown as FlowHost;
}

function readBack(bytes: Uint8Array): Message {
  const decoder = new MessageDecoder();
  decoder.push(bytes, 0);
  const { result } = decoder;
  must(result !== null && !(result instanceof Fault), 'an answer of ours is a message');
  return result;
}

/** Bytes for a stream: messages whose lengths fit, in most cases, and pieces of anything. */
export function streamBytes(input: Input, message: (input: Input) => Message): Uint8Array {
  const kind = input.below(4);
  if (kind > 1) return input.bytes(input.u8());
  const bytes = encodeMessage(message(input));
  if (kind === 1) bytes[input.below(bytes.length & 0xff || 1)]! ^= input.u8();
  return bytes;
}
