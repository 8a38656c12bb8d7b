import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { areSame } from './send-lab.js';
import { runHere, scratchFolder, untilSo, within, XpassProcess } from './switch-lab.js';

const run = promisify(execFile);
const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
const [SENDER, RECEIVER] = ['10.77.0.1', '10.77.0.2'];
/** The daemon has the network to itself. */
const AT = `${RECEIVER}:28400`;
const LINK = 'wire';

const CONTENT = 'The quick brown fox jumps over the lazy dog.';
const NAME = 'fox-of-the-wire.txt';
/** Of the messages in front of a file, both ways: docs/APPLICATIONS.md, "file". */
const WORDS = ['"kind":"file-query"', '"kind":"file-offer"', '"kind":"file"'];
const FILE_BYTES = 3_000_000;
/** Half of them: on busy cores tshark loses some, and those that it has not read when it is stopped. */
const LEAST_FRAMES = FILE_BYTES / 1_472 / 2;

/** Why there is no wire here that tshark listens to; '' where there is. */
function missing(): string {
  if (process.platform !== 'linux') return 'network namespaces are those of Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    execFileSync('ip', ['-Version'], { stdio: 'ignore' });
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return '';
  } catch {
    return 'ip (iproute2) or tshark is missing';
  }
}

/** Two network namespaces with a link between them, gone at the end of the test. */
class TwoHosts {
  readonly near = `xpattack-${process.pid}-a`;
  readonly far = `xpattack-${process.pid}-b`;

  constructor() {
    for (const name of [this.near, this.far]) {
      execFileSync('ip', ['netns', 'add', name]);
      onTestFinished(() => void execFileSync('ip', ['netns', 'delete', name]));
    }
    const ends = [
      [this.near, SENDER],
      [this.far, RECEIVER],
    ] as const;
    execFileSync('ip', ['-n', this.near, 'link', 'add', LINK, 'type', 'veth', 'peer', 'name', LINK, 'netns', this.far]);
    for (const [name, address] of ends) {
      execFileSync('ip', ['-n', name, 'address', 'add', `${address}/24`, 'dev', LINK]);
      execFileSync('ip', ['-n', name, 'link', 'set', LINK, 'up']);
    }
  }

  start(name: string, ...args: string[]): XpassProcess {
    return new XpassProcess(['exec', name, process.execPath, EXECUTABLE, ...args], 'ip', 'netns');
  }

  /** Writes what passes on the link to a file; resolves with what ends it. */
  async capture(file: string): Promise<() => Promise<void>> {
    const args = ['netns', 'exec', this.near, 'tshark', '-q', '-i', LINK, '-f', 'udp', '-w', file];
    const tshark = spawn('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void tshark.kill('SIGKILL'));
    let said = '';
    tshark.stderr.on('data', (chunk) => {
      said += String(chunk);
    });
    const isReady = (text: string) => text.includes('Capture started') || text.includes('Capturing on');
    await untilSo(() => said, isReady, 'a capture by tshark');
    await untilSo(
      () =>
        readFile(file).then(
          (bytes) => bytes.length,
          () => 0,
        ),
      (length) => length > 0,
      'a capture file',
    );
    return async () => {
      const ended = once(tshark, 'close');
      tshark.kill('SIGINT');
      await within(ended, 'the end of tshark');
    };
  }
}

/** Frames of a capture that a display filter takes. */
async function framesWith(file: string, filter: string): Promise<number> {
  const { stdout } = await run('tshark', ['-r', file, '-Y', filter, '-T', 'fields', '-e', 'frame.number']);
  return stdout.split('\n').filter((line) => line !== '').length;
}

const contains = (text: string): string => `frame contains ${JSON.stringify(text)}`;

async function newKey(...args: string[]): Promise<{ path: string; publicKey: string }> {
  const path = join(await scratchFolder(), 'host.key');
  const { code, stdout } = await runHere('key', 'new', ...args, path);
  expect(code).toBe(0);
  return { path, publicKey: stdout.trim().split(/\s+/).at(-1) ?? '' };
}

async function peersFile(line: string): Promise<string> {
  const path = join(await scratchFolder(), 'peers');
  await writeFile(path, `${line}\n`);
  return path;
}

interface Options {
  readonly daemon: readonly string[];
  readonly sender: readonly string[];
}

async function sharedSecret(): Promise<Options> {
  const { path } = await newKey();
  return { daemon: ['--key', path], sender: ['--key', path] };
}

async function identities(): Promise<Options> {
  const [ours, theirs] = [await newKey('--identity'), await newKey('--identity')];
  const known = await peersFile(`somebody ${ours.publicKey}`);
  const peers = await peersFile(`${AT} ${theirs.publicKey}`);
  return { daemon: ['--key', theirs.path, '--peers', known], sender: ['--key', ours.path, '--peers', peers] };
}

const noKey = async (): Promise<Options> => ({ daemon: ['--insecure'], sender: [] });

/** Sends a file across the link; resolves with what tshark saw. */
async function transfer(options: Options): Promise<string> {
  const hosts = new TwoHosts();
  const [directory, sources] = [await scratchFolder(), await scratchFolder()];
  const file = join(sources, NAME);
  await writeFile(file, `${CONTENT} `.repeat(FILE_BYTES / CONTENT.length));
  const capture = join(sources, 'wire.pcapng');
  const daemon = hosts.start(hosts.far, 'daemon', '--json', '--listen', AT, '-d', directory, ...options.daemon);
  await daemon.event('listening');
  const endCapture = await hosts.capture(capture);
  // Of mmsg tshark would see packets of up to 64 KiB, which the link does not cut.
  const link = ['--rate', '100mbit', '--datapath', 'dgram'];
  const sending = hosts.start(hosts.near, 'send', file, ...link, '--to', AT, ...options.sender);
  const { code, stderr } = await within(sending.ended, 'the end of the transfer');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('internal')]);
  expect(await areSame(file, join(directory, NAME))).toBe(true);
  await daemon.stop('SIGTERM');
  await endCapture();
  return capture;
}

describe('a file that goes from one network namespace to another', () => {
  const why = missing();

  it.for([
    ['a shared secret', sharedSecret],
    ['identities', identities],
  ] as const)('with %s arrives, and tshark finds nothing of it on the wire', async ([_name, options], { skip }) => {
    skip(why !== '', why);
    const capture = await transfer(await options());
    expect(await framesWith(capture, `udp and ip.src == ${SENDER}`)).toBeGreaterThan(LEAST_FRAMES);
    expect(await framesWith(capture, [CONTENT, NAME, ...WORDS].map(contains).join(' or '))).toBe(0);
  });

  it('without a key arrives, and tshark finds its content, its name and the words around it', async ({ skip }) => {
    skip(why !== '', why);
    const capture = await transfer(await noKey());
    expect(await framesWith(capture, contains(CONTENT))).toBeGreaterThan(LEAST_FRAMES);
    const counts = await Promise.all([NAME, ...WORDS].map((text) => framesWith(capture, contains(text))));
    expect(Math.min(...counts), `frames with ${NAME} and with ${WORDS}: ${counts}`).toBeGreaterThan(0);
  });
});
