// Tested by test/apps/unseal/unseal.test.ts
/** Copies a capture with its sealed frames opened. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { failureOf, usageFailure } from '../../base/failure.js';
import { type Ends, headerBytes, readHeaders, writeHeaders } from '../../telemetry/capture/ip-headers.js';
import {
  addComment,
  eachBlock,
  isCapture,
  packetBlockBytes,
  type ReadBlock,
  writePacketBlock,
} from '../../telemetry/capture/pcapng.js';
import { Bundle, BundleReader, isBundle } from '../../wire/bundle.js';
import { destinationHost, ecn, sourceHost } from '../../wire/decode.js';
import { Frame } from '../../wire/frame.js';
import { Header, MAX_FRAME_BYTES } from '../../wire/layout.js';
import type { FrameUnsealer, Unsealing } from './frame-unsealer.js';

const OWNER_ONLY = 0o600;
/** Of a write (ours), and room for the longest block behind it: a datagram, its headers, comments of a few words. */
const WRITE_BYTES = 1024 * 1024;
const LONGEST_BLOCK_BYTES = 70_000;
const MAX_BUNDLE_BYTES = 548;

/** Datagrams by what became of them. */
export interface UnsealSummary {
  opened: number;
  /** Not sealed. */
  plain: number;
  /** No secret fits, or they are damaged. */
  refused: number;
  /** Captured without their end, so that nothing shows whether they are true. */
  cut: number;
}

const REFUSED = 'not opened: no secret of the key log fits';
const CUT = 'not opened: the capture has only its beginning (--capture-snaplen)';

/** Throws a Failure for files that cannot be read or written. */
export function unsealFile(from: string, to: string, unsealer: FrameUnsealer): UnsealSummary {
  const file = reading(from);
  if (!isCapture(file)) throw usageFailure(`'${from}' is not a capture: allowed are the files that --capture writes`);
  const summary = { opened: 0, plain: 0, refused: 0, cut: 0 };
  const writer = new BlockWriter(to);
  try {
    const datagrams = new DatagramUnsealer(unsealer);
    for (const block of eachBlock(file)) {
      const done = block.type === 'packet' ? datagrams.open(block) : null;
      if (done !== null) summary[done]++;
      if (done === 'opened') writer.packet(block, datagrams.ends, datagrams.opened, datagrams.comment);
      else if (done === 'refused' || done === 'cut') writer.commented(block, done === 'cut' ? CUT : REFUSED);
      else writer.copy(block.bytes);
    }
  } finally {
    writer.close();
  }
  return summary;
}

function reading(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw failureOf(error, path) ?? error;
  }
}

/** Opens what a packet holds, a frame or a bundle. */
class DatagramUnsealer {
  /** Of the last packet that was opened, and of what in it was not; null where all was. */
  opened: Uint8Array = new Uint8Array(0);
  ends: Ends | null = null;
  comment: string | null = null;
  private readonly unsealer: FrameUnsealer;
  private readonly frame = new Frame(new Uint8Array(MAX_FRAME_BYTES));
  private readonly bundled = new BundleReader();

  constructor(unsealer: FrameUnsealer) {
    this.unsealer = unsealer;
  }

  open({ data, original }: ReadBlock): keyof UnsealSummary {
    const headers = readHeaders(data);
    if (headers === null || headers.length < Header.bytes) return 'plain';
    if (data.length < original) return 'cut';
    const datagram = data.subarray(headers.at);
    this.ends = headers.ends;
    this.comment = null;
    if (isBundle(datagram, datagram.length)) return this.openBundle(datagram);
    const done = this.openFrame(datagram, datagram.length);
    this.opened = this.frame.bytes.subarray(0, this.frame.length);
    return done;
  }

  /** Opened where one of its frames was. */
  private openBundle(datagram: Uint8Array): Unsealing {
    const { bundled, frame } = this;
    const opened = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    const all = new Set<Unsealing>();
    bundled.open(datagram, datagram.length);
    while (bundled.next() && bundled.length > 0) {
      all.add(this.openFrame(bundled.bytes, bundled.length));
      opened.append(frame);
    }
    this.opened = opened.bytes.subarray(0, opened.length);
    if (all.has('refused')) this.comment = REFUSED;
    if (all.has('opened')) return 'opened';
    return all.has('refused') ? 'refused' : 'plain';
  }

  private openFrame(bytes: Uint8Array, length: number): Unsealing {
    const { frame, ends } = this;
    frame.bytes.set(bytes.subarray(0, length));
    frame.length = length;
    const [from, to] = [sourceHost(frame.bytes), destinationHost(frame.bytes)];
    const name = (address: Uint8Array, port: number, host: number): string => `${address.join('.')}:${port}/${host}`;
    if (ends === null) return 'plain';
    const { source, destination, sourcePort, destinationPort } = ends;
    return this.unsealer.unseal(frame, name(source, sourcePort, from), name(destination, destinationPort, to));
  }
}

/** Blocks of a file, written many at a time. */
class BlockWriter {
  private readonly fd: number;
  private readonly path: string;
  private readonly bytes = new Uint8Array(WRITE_BYTES + LONGEST_BLOCK_BYTES);
  private readonly view = new DataView(this.bytes.buffer);
  private length = 0;

  constructor(path: string) {
    this.path = path;
    this.fd = this.guarded(() => openSync(path, 'w', OWNER_ONLY));
  }

  /** A block as it was read. */
  copy(block: Uint8Array): void {
    if (block.length > LONGEST_BLOCK_BYTES) {
      this.flush();
      this.write(block, block.length);
      return;
    }
    this.bytes.set(block, this.length);
    this.wrote(block.length);
  }

  commented(block: ReadBlock, comment: string): void {
    const dataAt = this.header(block, block.data.length, { original: block.original, comment });
    this.bytes.set(block.data, dataAt);
    this.wrote(packetBlockBytes(block.data.length, addComment(block.options, comment)));
  }

  /** A packet with another datagram. */
  packet(block: ReadBlock, ends: Ends | null, datagram: Uint8Array, comment: string | null): void {
    if (ends === null) return;
    const length = headerBytes(ends) + datagram.length;
    const at = this.header(block, length, { original: length, comment });
    const about = { payload: datagram.length, ecn: ecn(datagram) };
    this.bytes.set(datagram, writeHeaders(this.view, at, ends, about));
    const options = comment === null ? block.options : addComment(block.options, comment);
    this.wrote(packetBlockBytes(length, options));
  }

  close(): void {
    this.flush();
    closeSync(this.fd);
  }

  private header(
    { interfaceId, stamp, options }: ReadBlock,
    captured: number,
    { original, comment }: { original: number; comment: string | null },
  ): number {
    const { bytes, view } = this;
    const all = comment === null ? options : addComment(options, comment);
    return writePacketBlock({ bytes, view }, this.length, { interfaceId, stamp, captured, original, comment: all });
  }

  private wrote(bytes: number): void {
    this.length += bytes;
    if (this.length >= WRITE_BYTES) this.flush();
  }

  private flush(): void {
    this.write(this.bytes, this.length);
    this.length = 0;
  }

  private write(bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; ) at += this.guarded(() => writeSync(this.fd, bytes, at, length - at));
  }

  private guarded<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw failureOf(error, this.path) ?? error;
    }
  }
}
