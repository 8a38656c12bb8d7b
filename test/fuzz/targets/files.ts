import { createHash } from 'node:crypto';
import { type FileOutcome, FileService } from '../../../src/apps/daemon/file-service.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import type { StreamService } from '../../../src/services/service.js';
import { Input } from '../engine/input.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';
import { MemoryFiles } from './memory-files.js';
import { HostileStream, streamBytes } from './served-stream.js';

const DIRECTORY = '/received';
const STREAMS = 3;
/** The stream that carries files in a row. */
const SERIES = 2;
const NAMES = ['a', 'b', 'a', '../a', '.a', 'a/b', '', 'CON', 'a.part'];
/** Turns of the promises that a transfer needs at most: some for each call of the file system. */
const MOST_TURNS = 500;

/** Files on hostile streams: what gets a name has the digest that came with it, nothing is written elsewhere, and each stream gets one verdict at most. */
export const files: Target = {
  name: 'files',
  seeds: () => [
    // A file of three bytes with its digest: one that arrives.
    Uint8Array.from([200, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 9, 3, 1, 2, 3, 1, 0, 0, 0, 1, 0]),
    // The same with another digest.
    Uint8Array.from([200, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 9, 3, 1, 2, 3, 1, 0, 0, 0, 2, ...bytesOf('0'.repeat(64)), 0]),
    // Two good files in a row on the third stream.
    Uint8Array.from([
      200, 0, 2, 0, 0, 0, 0, 3, 0, 1, 2, 9, 3, 1, 2, 3, 1, 2, 0, 0, 1, 1, 2, 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 1, 1,
    ]),
    Uint8Array.from([200, 0, ...encodeMessage({ kind: 'file', name: 'x', bytes: 2 })]),
  ],
  words: ['file', 'digest', 'name', 'bytes', 'mode', 'sha256', '"kind":', '{', '}'],
  maxBytes: 2_048,
  run: async (data) => {
    const input = new Input(data);
    const fileSystem = new MemoryFiles(DIRECTORY, input.u8());
    const outcomes: FileOutcome[] = [];
    const service = new FileService({
      directory: DIRECTORY,
      overwrite: input.below(2) === 1,
      fileSystem,
      onOutcome: (outcome) => void outcomes.push(outcome),
    });
    const streams = Array.from(
      { length: STREAMS },
      (_, index) => new Peer(index === SERIES ? service.series : service, index + 1),
    );
    streams[SERIES].stream.push(encodeMessage({ kind: service.series.kind }));
    while (!input.isOver) {
      const peer = input.pick(streams);
      peer.step(input);
      if (input.below(4) === 0) await turns(20);
    }
    for (const { stream } of streams) stream.abort();
    await service.close();
    await turns(MOST_TURNS);
    for (const { stream } of streams.slice(0, SERIES))
      must(stream.answers.length + stream.refusals.length <= 1, 'one verdict a stream');
    const numbers = streams[SERIES].stream.answers.map(({ at }) => at);
    must(new Set(numbers).size === numbers.length, 'one verdict for each file of a series');
    checkOutcomes(outcomes, fileSystem);
    for (const { flowId, verdict } of outcomes) {
      const said = streams.find(({ stream }) => stream.receiver.id === flowId)!.stream.said;
      if (verdict.ok) must(said.includes(verdict.sha256!), 'a good file has the digest that its sender said');
    }
  },
};

/** Who sends files, some of them as they should be. */
class Peer {
  readonly stream: HostileStream;
  private readonly body: number[] = [];

  constructor(service: StreamService, id: number) {
    this.stream = new HostileStream(service, id, () => 0);
  }

  step(input: Input): void {
    const kind = input.below(16);
    if (kind === 15) this.stream.end();
    else if (kind === 14) this.stream.abort();
    else if (kind > 8) {
      const bytes = input.bytes(input.below(32));
      this.body.push(...bytes);
      this.stream.push(bytes);
    } else this.stream.push(streamBytes(input, () => this.message(input)));
  }

  private message(input: Input): Message {
    const kind = input.below(4);
    if (kind === 1) return { kind: 'digest', sha256: sha256(Uint8Array.from(this.body)) };
    if (kind === 2) return { kind: 'digest', sha256: textOf(input.bytes(64)) };
    this.body.length = 0;
    const name = kind === 0 ? input.pick(NAMES) : textOf(input.bytes(input.u8()));
    const bytes = input.below(64);
    return { kind: 'file', name, bytes: bytes === 63 ? null : bytes, mode: input.near(420) };
  }
}

function checkOutcomes(outcomes: readonly FileOutcome[], { files: stored }: MemoryFiles): void {
  const good = outcomes.filter(({ verdict }) => verdict.ok);
  const digests = new Map<string, Set<string | null>>();
  for (const { header, verdict } of good)
    digests.set(header.name, (digests.get(header.name) ?? new Set()).add(verdict.sha256));
  for (const [name, allowed] of digests) {
    const bytes = stored.get(name);
    must(bytes !== undefined, `'${name}' was stored and is not there`);
    must(allowed.has(sha256(bytes)), `'${name}' has other bytes than its sender's`);
  }
  for (const name of stored.keys())
    must(digests.has(name) || name.startsWith('.'), `'${name}' has a name and no good verdict`);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
