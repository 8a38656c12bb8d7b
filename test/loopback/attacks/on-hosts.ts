import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openHost } from '../../../src/net/host.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import type { Address } from '../../../src/udp/address.js';
import { flowId, frameType } from '../../../src/wire/decode.js';
import { FrameType, RequestFlag } from '../../../src/wire/layout.js';
import { areSame, randomFile, received, startDaemonProcess } from '../send-lab.js';
import { runHere, scratchFolder, untilSo, within, XpassCommand, XpassProcess } from '../switch-lab.js';
import { addressOf, Bystander, cpuSeconds, type Outcome, residentBytes, sizeOf, wrongOf } from './attack.js';
import { credit, fin, hello, opening, otherVersion, PERF_REVERSE, request, reset, speculative } from './forged.js';
import { Liar, sayAll } from './liar.js';
import type { Tap, Wire } from './wire.js';

/** PROTOCOL §7.7 allows one; RFC 9000 section 8.1 has three. */
const MOST_AMPLIFICATION = 3;
/** Lines of one kind are 10 a second and the number left out; a line has some 200 bytes. */
const MOST_LOG_BYTES_PER_S = 10_000;
/** For what the stream of no service draws: handshakes, a flow's opening and a RESET, each of which may be repeated on busy cores. */
const MOST_UNREST_MS = 20_000;
const NAUGHT = new Uint8Array(1);

async function daemonAt(host: string, ...args: string[]) {
  const daemon = await startDaemonProcess('--listen', `${host}:0`, ...args);
  return { ...daemon, address: addressOf(daemon.address) };
}

async function perfServerAt(host: string) {
  const process = new XpassProcess(['perf', '-s', '--json-stream', '--listen', `${host}:0`]);
  const { address } = (await process.event('listening')).data as { address: string };
  return { process, address: addressOf(address) };
}

type Said = Awaited<XpassProcess['ended']>;

const saidBytes = ({ stdout, stderr }: Said): number => stdout.length + stderr.length;

/** Rows 1 and 4: sends all of it under the name of a bystander, who then counts. */
async function amplified(wire: Wire, at: string, frames: (to: Address) => Iterable<Uint8Array>): Promise<Outcome> {
  const [daemon, server] = await Promise.all([daemonAt(`${at}.1`), perfServerAt(`${at}.2`)]);
  const bystander = await Bystander.at(`${at}.9`);
  let sentBytes = 0;
  for (const { address } of [daemon, server])
    sentBytes += await sayAll(frames(address), (bytes) => wire.send(bytes, bystander.address, address));
  await sleep(500);
  const ends = await Promise.all([daemon.process.stop('SIGTERM'), server.process.stop('SIGTERM')]);
  const drawnBytes = bystander.bytes;
  const kinds = [daemon.process, server.process].flatMap(({ events }) => events.map(({ event }) => event));
  const served = kinds.filter((kind) => kind !== 'listening' && kind !== 'summary');
  return {
    sentBytes,
    drawnBytes,
    now: `${(drawnBytes / sentBytes).toFixed(2)} times`,
    wrong: wrongOf(
      [drawnBytes <= MOST_AMPLIFICATION * sentBytes, `${sentBytes} B drew ${drawnBytes} B to the bystander`],
      [served.length === 0, `a service heard of an unproved peer: ${served}`],
      [ends.every(({ code }) => code === 0), `a server ended with ${ends.map(({ code }) => code)}`],
    ),
  };
}

/** Row 1. */
export const reverseFlows = (wire: Wire): Promise<Outcome> =>
  amplified(wire, '127.0.1', function* () {
    for (let id = 1; id <= 300; id++) {
      yield hello(randomBytes(8));
      yield* opening(id, PERF_REVERSE);
    }
  });

/** Row 4: what asks for an ACK, with holes that make it long. */
export const longAnswers = (wire: Wire): Promise<Outcome> =>
  amplified(wire, '127.0.4', function* () {
    yield request(7);
    for (let at = 1; at <= 500; at++) {
      yield speculative(7, 2 * at, NAUGHT);
      yield request(7, 0);
      yield fin(7);
    }
  });

/** Row 2: a stream under the name of one daemon to another, first blind, then by an association that the attacker made from what it saw on the wire. */
export async function facingDaemons(wire: Wire): Promise<Outcome> {
  const daemons = await Promise.all([daemonAt('127.0.2.1'), daemonAt('127.0.2.2')]);
  const [one, other] = daemons.map(({ address }) => address) as [Address, Address];
  const taps = [wire.tap(one.host), wire.tap(other.host)];
  const unknown = () => opening(5, { kind: 'of-no-service' });
  let sentBytes = 0;
  for (const bytes of unknown()) {
    wire.send(bytes, one, other);
    sentBytes += bytes.length;
  }
  const liar = await Liar.as(one, other, wire);
  sentBytes += await liar.sayAll(unknown());
  const startMs = performance.now();
  const restMs = await within(silence(taps), 'two daemons that come to rest', MOST_UNREST_MS).then(
    (atMs) => atMs - startMs,
    () => Number.POSITIVE_INFINITY,
  );
  const logBytes = (await Promise.all(daemons.map(({ process }) => process.stop('SIGTERM')))).map(
    ({ stderr }) => stderr.length,
  );
  return {
    sentBytes,
    drawnBytes: null,
    now: `silence after ${(restMs / 1e3).toFixed(1)} s, ${sizeOf(Math.max(...logBytes))} of log`,
    wrong: wrongOf(
      [restMs < MOST_UNREST_MS, 'the daemons do not stop talking to each other'],
      [Math.max(...logBytes) < MOST_LOG_BYTES_PER_S, `logs of ${logBytes} B`],
    ),
  };
}

/** When the second began in which nothing passed. */
async function silence(taps: readonly Tap[]): Promise<number> {
  for (;;) {
    for (const tap of taps) tap.take();
    const atMs = performance.now();
    await sleep(1_000);
    if (taps.every((tap) => tap.take().length === 0)) return atMs;
  }
}

/** Row 5: openings that never send a header, of one peer; another one is served meanwhile. */
export async function halfOpenings(): Promise<Outcome> {
  const openings = 1_200;
  const daemon = await daemonAt('127.0.5.1', '--header-timeout', '3s');
  const name = `${daemon.address.host}:${daemon.address.port}`;
  const open = async (host: string) => {
    // Patient: the floods of other rows share this process.
    const made = await openHost({ listen: `${host}:0`, rate: '100mbit', connectTimeout: '30s' });
    onTestFinished(() => made.destroy());
    return { made, peer: await made.resolve(name) };
  };
  const [hostile, honest] = [await open('127.0.5.2'), await open('127.0.5.3')];
  let closed = 0;
  const half = { onWritable: () => undefined, onClosed: () => void closed++ };
  for (let count = 0; count < openings; count++) hostile.made.openSender(hostile.peer, half).write(new Uint8Array(2));
  await untilSo(
    () => closed,
    (count) => count >= openings - 600,
    'the refusals',
  );
  const startMs = performance.now();
  const served = new Promise<unknown>((onClosed) => {
    const sender = honest.made.openSender(honest.peer, { onWritable: () => undefined, onClosed });
    sender.write(encodeMessage({ kind: 'discard' }));
    sender.write(new Uint8Array(10_000));
    sender.end();
  });
  const error = await within(served, 'the end of a stream of another host');
  const servedMs = performance.now() - startMs;
  await untilSo(
    () => closed,
    (count) => count === openings,
    'the end of the streams without a header',
  );
  const { code, stderr } = await daemon.process.stop('SIGTERM');
  const counts = (await daemon.process.event('summary')).openings as Record<string, number>;
  return {
    sentBytes: openings * (request(1).length + speculative(1, 0, new Uint8Array(2)).length),
    drawnBytes: null,
    now: `another host is served in ${servedMs.toFixed(0)} ms; ${counts.late_headers} given up after 3 s`,
    wrong: wrongOf(
      [error === null, `the honest host is not served: ${error}`],
      [code === 0, `the daemon ended with ${code}`],
      // On a busy machine some come when others have been given up; a refusal whose RESET is withheld is asked for again.
      [counts.refused_full === 0 && (counts.refused_share as number) > 0, `refusals: ${JSON.stringify(counts)}`],
      [(counts.late_headers as number) >= 600, `only ${counts.late_headers} were given up`],
      // A line for each was 600 and more.
      [stderr.split('\n').length < 200, 'a log line for each'],
    ),
  };
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A whole file as a sender without credits would send it. */
function* wholeFile(id: number, name: string): Generator<Buffer> {
  const body = randomBytes(60_000);
  const header: Message = { kind: 'file', name, bytes: body.length, mode: 0o777 };
  const trailer = encodeMessage({ kind: 'digest', sha256: digest(body) });
  const stream = Buffer.concat([encodeMessage(header), body, trailer]);
  yield request(id, RequestFlag.open | RequestFlag.speculative);
  for (let at = 0; at < stream.length; at += 1_400) {
    const payload = stream.subarray(at, at + 1_400);
    yield speculative(id, at, payload, at + 1_400 >= stream.length ? 1 : 0);
  }
}

/** Row 6: whole files without a credit, under the name of another host. Then the same from a proved one, which shows that the files are right. */
export async function uncreditedFiles(wire: Wire): Promise<Outcome> {
  const daemon = await daemonAt('127.0.6.1', '--rate', '10mbit');
  const bystander = await Bystander.at('127.0.6.9');
  let sentBytes = 0;
  for (let id = 1; id <= 40; id++) {
    const frames = wholeFile(id, `spoofed-${id}`);
    sentBytes += await sayAll(frames, (bytes) => wire.send(bytes, bystander.address, daemon.address));
  }
  await sleep(300);
  const names = await readdir(daemon.directory);
  const liar = await Liar.at('127.0.6.2', daemon.address);
  await liar.sayAll(wholeFile(99, 'proved'));
  const proved = await untilSo(
    () => readdir(daemon.directory),
    (all) => all.includes('proved'),
    'a file of a proved peer',
  );
  return {
    sentBytes,
    drawnBytes: bystander.bytes,
    now: `${names.length} files; a proved peer's one arrives`,
    wrong: wrongOf(
      [names.length === 0, `files of an unproved peer: ${names}`],
      [proved.length === 1, `more files: ${proved}`],
      [bystander.bytes <= MOST_AMPLIFICATION * sentBytes, `it drew ${bystander.bytes} B`],
    ),
  };
}

/** Row 7: bytes beyond holes, each in a place of its own, of one proved peer. */
export async function loneBytes(): Promise<Outcome> {
  const [flows, bytesEach, stride] = [64, 1_600, 2_000];
  const daemon = await daemonAt('127.0.7.1');
  const { pid } = daemon.process as XpassProcess;
  const liar = await Liar.at('127.0.7.2', daemon.address);
  const before = residentBytes(pid).now;
  const sentBytes = await liar.sayAll(
    (function* () {
      for (let id = 1; id <= flows; id++) yield* opening(id, { kind: 'discard' });
      for (let place = 1; place <= bytesEach; place++)
        for (let id = 1; id <= flows; id++) yield speculative(id, place * stride, NAUGHT);
    })(),
  );
  await sleep(300);
  const grownBytes = residentBytes(pid).peak - before;
  // Twice the payload and 16 MiB are the bound of what is held; the rest is what V8 takes to handle 100,000 frames.
  const most = 2 * flows * bytesEach + 16 * 1_048_576 + 64e6;
  return {
    sentBytes,
    drawnBytes: null,
    now: `${sizeOf(grownBytes)} more memory at the peak`,
    wrong: wrongOf([grownBytes <= most, `${sizeOf(sentBytes)} made the daemon grow by ${sizeOf(grownBytes)}`]),
  };
}

/** The two ends of the transfer that goes on, and the id of its flow, as an observer knows them. */
async function observe(tap: Tap): Promise<{ sender: Address; receiver: Address; id: number }> {
  const look = () => tap.take().find(({ bytes }) => frameType(bytes) === FrameType.data) ?? null;
  const seen = await untilSo(look, (found) => found !== null, 'a data frame on the wire');
  if (seen === null) throw new Error('no data frame was seen');
  return { sender: seen.from, receiver: seen.to, id: flowId(seen.bytes) };
}

/** Row 9: frames of a flow that goes on, forged in both directions by who sees its id and its ports. */
export async function forgedFrames(wire: Wire): Promise<Outcome> {
  const key = join(await scratchFolder(), 'key');
  await runHere('key', 'new', key);
  const outcomes = await Promise.all([forgeries(wire, '127.0.9.1', []), forgeries(wire, '127.0.9.2', ['--key', key])]);
  const [open, sealed] = outcomes;
  return {
    sentBytes: open.sentBytes + sealed.sentBytes,
    drawnBytes: null,
    now: `without a key ${open.now}, with one ${sealed.now}`,
    wrong: outcomes.flatMap(({ wrong }) => wrong),
  };
}

/** Of 27 forgeries each, one of which ended a transfer; on busy cores the transfer may end before the most. */
const MOST_ROUNDS = 100;
const LEAST_ROUNDS = 10;

async function forgeries(wire: Wire, at: string, keys: string[]): Promise<Outcome> {
  const daemon = await daemonAt(at, '--rate', '20mbit', '--interval', '20ms', ...keys);
  const file = await randomFile('whole.bin', 4_000_000);
  const tap = wire.tap(at);
  const to = `${daemon.address.host}:${daemon.address.port}`;
  const sending = new XpassCommand(['send', file, '--json', '--rate', '20mbit', '--to', to, ...keys]);
  await received(daemon, 200_000);
  tap.take();
  const { sender, receiver, id } = await observe(tap);
  const forward = [fin(id), reset(id, false), otherVersion(id), request(id), speculative(id, 100, Buffer.alloc(1_000))];
  const backward = (round: number) => [
    reset(id, true),
    otherVersion(id),
    ...[...Array(20).keys()].map((n) => credit(id, 20 * round + n)),
  ];
  let [sentBytes, rounds] = [0, 0];
  for (; rounds < MOST_ROUNDS && !sending.isOver; rounds++) {
    sentBytes += await sayAll(forward, (bytes) => wire.send(bytes, sender, receiver));
    sentBytes += await sayAll(backward(rounds), (bytes) => wire.send(bytes, receiver, sender));
    await sleep(2);
  }
  const { code, stderr } = await within(sending.ended, 'the end of the transfer');
  const isWhole = await areSame(file, join(daemon.directory, basename(file))).catch(() => false);
  await daemon.process.stop('SIGTERM');
  const forged = forgedIn(await daemon.process.event('summary'));
  return {
    sentBytes,
    drawnBytes: null,
    now: `${isWhole ? 'the file is whole' : 'the file is spoilt'}, ${forged} forgeries dropped`,
    wrong: wrongOf(
      [rounds >= LEAST_ROUNDS, `the transfer ended after ${rounds} rounds of forgeries`],
      [code === 0 && isWhole, `the transfer ended with ${code}, whole: ${isWhole}: ${stderr}`],
      [forged >= LEAST_ROUNDS, `only ${forged} forged frames were counted`],
    ),
  };
}

/** Frames that the daemon counted as made by nobody of the association, or as damaged, which is how those without a key look. */
function forgedIn(summary: Readonly<Record<string, unknown>>): number {
  const text = JSON.stringify(summary);
  const sumOf = (name: string) =>
    [...text.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].reduce((sum, [, count]) => sum + Number(count), 0);
  return sumOf('forged') + sumOf('check');
}

/** Row 10: flows that are opened and reset, each of which was a line of the log. */
export async function openAndReset(): Promise<Outcome> {
  const pairs = 20_000;
  const daemon = await daemonAt('127.0.10.1');
  const liar = await Liar.at('127.0.10.2', daemon.address);
  const startMs = performance.now();
  const sentBytes = await liar.sayAll(
    (function* () {
      for (let id = 1; id <= pairs; id++) {
        yield request(id);
        yield reset(id, false);
      }
    })(),
  );
  await sleep(300);
  const seconds = (performance.now() - startMs) / 1e3;
  const { code, ...said } = await daemon.process.stop('SIGTERM');
  const summary = JSON.stringify(await daemon.process.event('summary')).length;
  const perSecond = (saidBytes({ code, ...said }) - summary) / seconds;
  return {
    sentBytes,
    drawnBytes: null,
    now: `${sizeOf(Math.round(perSecond))} of log a second`,
    wrong: wrongOf(
      [perSecond <= MOST_LOG_BYTES_PER_S, `${Math.round(perSecond)} B of log a second`],
      [code === 0, `the daemon ended with ${code}`],
    ),
  };
}

/** Row 12: a byte from each of many addresses, while a transfer goes on. */
export async function manyAddresses(wire: Wire): Promise<Outcome> {
  const addresses = 66_000;
  const daemon = await daemonAt('127.0.12.1', '--rate', '20mbit', '--interval', '20ms');
  const file = await randomFile('whole.bin', 16_000_000);
  const to = `${daemon.address.host}:${daemon.address.port}`;
  const sending = new XpassCommand(['send', file, '--json', '--rate', '20mbit', '--to', to]);
  await received(daemon, 100_000);
  const stranger = (index: number) => ({
    host: `127.12.${(index >>> 8) & 255}.${index & 255}`,
    port: 5_000 + (index >>> 16),
  });
  let index = 0;
  const sentBytes = await sayAll(Array(addresses).fill(NAUGHT), (bytes) =>
    wire.send(bytes, stranger(index++), daemon.address),
  );
  const isUnderWay = !sending.isOver;
  const { code, stderr } = await within(sending.ended, 'the end of the transfer');
  const isWhole = await areSame(file, join(daemon.directory, basename(file))).catch(() => false);
  return {
    sentBytes,
    drawnBytes: null,
    now: isWhole ? 'the transfer beside it is whole' : 'the transfer beside it is spoilt',
    wrong: wrongOf(
      [isUnderWay, 'the transfer ended before the flood did'],
      [code === 0 && isWhole, `the transfer ended with ${code}, whole: ${isWhole}: ${stderr}`],
    ),
  };
}

/** Row 13: flow ids that met in one chain of the table without a key, and as many random ones, which have to cost the same. */
export async function meetingIds(): Promise<Outcome> {
  const [flows, rounds] = [400, 60];
  const daemon = await daemonAt('127.0.13.1', '--header-timeout', '1h');
  const { pid } = daemon.process as XpassProcess;
  const cost = async (host: string, idOf: (index: number) => number) => {
    const liar = await Liar.at(host, daemon.address);
    const ids = [...Array(flows).keys()].map(idOf);
    await liar.sayAll(ids.map((id) => request(id)));
    await sleep(200);
    const before = cpuSeconds(pid);
    const bytes = await liar.sayAll(
      (function* () {
        for (let round = 0; round < rounds; round++) for (const id of ids) yield request(id, 0);
      })(),
    );
    await sleep(200);
    return { bytes, us: ((cpuSeconds(pid) - before) / (flows * rounds)) * 1e6 };
  };
  const random = await cost('127.0.13.2', () => randomBytes(4).readUInt32BE() || 1);
  const meeting = await cost('127.0.13.3', (index) => ((index + 1) << 20) >>> 0);
  return {
    sentBytes: meeting.bytes,
    drawnBytes: null,
    now: `${meeting.us.toFixed(0)} us a frame, with random ids ${random.us.toFixed(0)} us`,
    // Processor time is counted in ticks of 10 ms: 24,000 frames take some 400.
    wrong: wrongOf([meeting.us <= 2 * random.us + 10, `${meeting.us} us a frame beside ${random.us} us`]),
  };
}
