import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { fastCrc32 } from '../../src/udp/crc.js';
import { Bundle } from '../../src/wire/bundle.js';
import { encodeAck, encodeCredit, encodeData, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { Attach, CreditRequest, Fin, Reset } from '../../src/wire/frames.js';
import { MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES } from '../../src/wire/layout.js';
import { TEST_SEED } from '../harness/seeds.js';
import { areSame, filesOf, randomFile, sendProcess, startDaemonProcess } from './send-lab.js';
import { portOf, startSwitchProcess, type XpassProcess } from './switch-lab.js';

// Real processes: whether they survive and stay within their bounds is tested, not how fast they are meanwhile.

/** For each way of sending, others than for the other. XPASS_FUZZ_DATAGRAMS=1000000 for a long run. */
const DATAGRAMS = Number(process.env.XPASS_FUZZ_DATAGRAMS ?? 20_000);
const FILE_BYTES = 4 * 1024 * 1024;
/** Sent in one go; the sockets of the processes hold some thousand. */
const BURST = 200;
/** Beyond what a process takes by itself: its flows, windows and pools (PROTOCOL §6.6), and what V8 has not collected yet. */
const MOST_GROWTH_BYTES = 256 * 1024 * 1024;

const EMPTY_RANGES = { count: 0, start: () => 0, end: () => 0 };

/** Writes datagrams that are noise, valid frames of strangers, some in bundles, or those with some bytes changed. */
class Fuzzer {
  private readonly random: SeededRandom;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
  }

  write(bytes: Uint8Array): number {
    const kind = this.below(3);
    if (kind === 0) return this.below(8) === 0 ? this.emptyFrames(bytes) : this.noise(bytes);
    const length = this.below(4) === 0 ? this.bundle(bytes) : this.frame(bytes);
    if (kind === 1) for (let flips = 1 + this.below(4); flips > 0; flips--) bytes[this.below(length)] = this.below(256);
    return this.below(20) === 0 ? this.below(length) : length;
  }

  private below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  private noise(bytes: Uint8Array): number {
    const length = this.below(200);
    for (let index = 0; index < length; index++) bytes[index] = this.below(256);
    return length;
  }

  /** What would be a bundle of frames without bytes, as long as a datagram may be here. */
  private emptyFrames(bytes: Uint8Array): number {
    bytes.fill(0);
    bytes[1] = 0x20;
    return 1 + this.below(bytes.length);
  }

  /** Frames as they fit; a full bundle that is sent would have no more. */
  private bundle(bytes: Uint8Array): number {
    const [bundle, frame] = [new Bundle(new Uint8Array(MAX_BUNDLE_BYTES)), new Frame(new Uint8Array(2_048))];
    for (let frames = 1 + this.below(12); frames > 0; frames--) {
      frame.length = this.frame(frame.bytes);
      if (frame.length <= MAX_BUNDLED_BYTES && bundle.hasRoom(frame.length)) bundle.append(frame);
    }
    bytes.set(bundle.bytes.subarray(0, bundle.length));
    return bundle.length;
  }

  private frame(bytes: Uint8Array): number {
    const header = { destination: this.below(4), source: this.below(4), flowId: this.random.uint32() };
    const [a, b] = [this.random.uint32(), this.random.uint32()];
    const probe = a & 0xffff;
    switch (this.below(7)) {
      case 0: {
        const fields = {
          flags: this.below(2),
          sentOffset: a,
          probe,
          maxFrameBytes: 1472,
          pairedFlowId: b,
          backlog: a,
          weight: 1,
        };
        return CreditRequest.encode(bytes, header, fields, fastCrc32);
      }
      case 1:
        return encodeCredit(
          bytes,
          header,
          {
            sequence: a,
            pathId: this.below(256),
            paddingBytes: 2 + this.below(7),
            rateCode: this.below(2) * (b & 0xfff),
            hop: this.below(16),
          },
          fastCrc32,
        );
      case 2: {
        const fields = {
          creditSequence: a,
          explicitRate: b & 0xffff,
          offset: b,
          unused: probe,
          flags: this.below(8),
          pathId: 0,
        };
        return seal(bytes, encodeData(bytes, header, fields) + 1 + this.below(1000), fastCrc32);
      }
      case 3:
        return encodeAck(
          bytes,
          header,
          { flags: this.below(4), cumulative: a, probe, ranges: EMPTY_RANGES },
          fastCrc32,
        );
      case 4:
        return Fin.encode(bytes, header, { finalOffset: a, probe, unused: 0 }, fastCrc32);
      case 5:
        return Reset.encode(bytes, header, { code: this.below(12), flags: this.below(2) }, fastCrc32);
      default:
        // Host 3 is nobody's: a stranger that takes the id of a sender before it comes keeps it out, as PROTOCOL §8.3 wants it.
        return Attach.encode(
          bytes,
          { source: 3, destination: 0, flowId: 0 },
          { token: a, maxFrameBytes: 0 },
          fastCrc32,
        );
    }
  }
}

/** Sends these datagrams to each of the ports, as fast as they are taken. */
async function bombard(ports: readonly number[], fuzzer: Fuzzer): Promise<void> {
  const socket = createSocket('udp4');
  onTestFinished(() => {
    socket.close();
  });
  socket.on('error', () => {});
  const bytes = new Uint8Array(2048);
  for (let sent = 0; sent < DATAGRAMS; sent += BURST) {
    for (let index = 0; index < BURST; index++) {
      const datagram = bytes.slice(0, fuzzer.write(bytes));
      for (const port of ports) socket.send(datagram, port, '127.0.0.1');
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function residentBytes({ pid }: XpassProcess): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}

describe('a daemon and a switch under random and mutated datagrams', () => {
  it.each([
    ['dgram', TEST_SEED],
    ['mmsg', TEST_SEED + 1],
  ])(
    'stay alive and within their bounds, and the transfers through them complete (%s)',
    async (datapath, seed) => {
      const how = ['--datapath', datapath];
      console.log(`XPASS_TEST_SEED=${TEST_SEED}`);
      const fabric = await startSwitchProcess('--topology', 'star', '--hosts', '3', '--link-rate', '200mbit', ...how);
      const behind = await startDaemonProcess('--switch', String(fabric.listening.address), '--host-id', '1', ...how);
      const direct = await startDaemonProcess('--rate', '200mbit', ...how);
      const processes = [fabric.process, behind.process, direct.process];
      const before = await Promise.all(processes.map(residentBytes));
      const file = await randomFile('whole', FILE_BYTES);
      const sends = [
        sendProcess(
          file,
          '--to',
          '1',
          '--switch',
          String(fabric.listening.address),
          '--host-id',
          '2',
          '--json',
          ...how,
        ),
        sendProcess(file, '--to', direct.address, '--rate', '200mbit', '--json', ...how),
      ];
      await bombard([portOf(String(fabric.listening.address)), portOf(direct.address)], new Fuzzer(seed));
      for (const [index, ended] of (await Promise.all(sends)).entries()) {
        expect(ended.code, ended.stderr).toBe(0);
        expect(filesOf(ended)[0].verified).toBe(true);
        const { directory } = [behind, direct][index];
        expect(await areSame(join(directory, basename(file)), file)).toBe(true);
      }
      const growth = (await Promise.all(processes.map(residentBytes))).map((now, index) => now - before[index]);
      expect(Math.max(...growth)).toBeLessThan(MOST_GROWTH_BYTES);
      const summaries = await Promise.all(processes.map((each) => each.stop()));
      for (const { code, stderr } of summaries) expect(code, stderr).toBe(0);
    },
    600_000,
  );
});
