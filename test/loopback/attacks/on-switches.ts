import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '../../../src/udp/address.js';
import { fastCrc32 } from '../../../src/udp/crc.js';
import { frameType } from '../../../src/wire/decode.js';
import { Attach, Attached, Detach, kindOf } from '../../../src/wire/frames.js';
import { areSame, randomFile, send, startDaemon, startDaemonProcess } from '../send-lab.js';
import { RawHost, startSwitchProcess, XpassProcess } from '../switch-lab.js';
import { type Outcome, wrongOf } from './attack.js';
import { sayAll } from './liar.js';
import type { Wire } from './wire.js';

const HOST = '127.0.0.1';
/** Two round trips take milliseconds, and a second more where the first ATTACH meets a full socket; ours, for busy cores. */
const MOST_ATTACH_MS = 5_000;

const toSwitch = (source: number) => ({ destination: 0, source, flowId: 0 });

function attachFrame(id: number, token: number): Buffer {
  const bytes = Buffer.alloc(Attach.minBytes);
  const nonce = randomBytes(8);
  Attach.encode(bytes, toSwitch(id), { token, maxFrameBytes: 0, nonce, proof: nonce }, fastCrc32);
  return bytes;
}

function detachFrame(id: number, token: number): Buffer {
  const bytes = Buffer.alloc(Detach.minBytes);
  Detach.encode(bytes, toSwitch(id), { token, counter: 1e6, proof: randomBytes(8) }, fastCrc32);
  return bytes;
}

/** Row 3: somebody else attaches with the token that it saw, by the victim's id and without one, and detaches under the victim's name. */
export async function stolenPort(wire: Wire): Promise<Outcome> {
  const tap = wire.tap(HOST);
  const { port, process: fabric } = await startSwitchProcess('--hosts', '3');
  const at = ['--switch', `${HOST}:${port}`];
  const victim = await startDaemonProcess(...at, '--host-id', '1');
  const seen = tap.take().find(({ bytes }) => frameType(bytes) === Attach.type);
  if (seen === undefined) throw new Error('no ATTACH was seen');
  const token = Attach.read.token(seen.bytes);
  const to: Address = { host: HOST, port };
  let sentBytes = 0;
  for (let round = 0; round < 200; round++) {
    const frames = [detachFrame(1, token), attachFrame(1, token), attachFrame(0, token)];
    sentBytes += await sayAll(frames, (bytes) => wire.send(bytes, seen.from, to));
  }
  const answers: number[] = [];
  for (const id of [1, 0]) {
    const thief = await RawHost.attach(port, id, token);
    answers.push(frameType(await thief.next()));
    sentBytes += 2 * Attach.minBytes;
    if (answers.at(-1) === Attached.type) thief.detach();
  }
  const file = await randomFile('after.bin', 200_000);
  const sent = await send(file, '--to', '1', ...at);
  const isWhole = await areSame(file, join(victim.directory, basename(file))).catch(() => false);
  const isTaken = answers[0] === Attached.type;
  const wasTold = victim.process.isOver;
  await victim.process.stop('SIGTERM');
  await fabric.stop('SIGTERM');
  return {
    sentBytes,
    drawnBytes: null,
    now: `${answers.map((type) => kindOf(type).name).join(', ')}; the victim goes on`,
    wrong: wrongOf(
      [!isTaken, 'the port of the victim was taken'],
      [!wasTold, 'the victim ended'],
      [isWhole, `a transfer to the victim ended with ${sent.code}: ${sent.stderr}`],
    ),
  };
}

/** Row 8: as many ATTACHs as there are addresses, each from one of its own; then a new host comes. */
export async function spoofedAttaches(wire: Wire): Promise<Outcome> {
  const addresses = 66_000;
  const { port } = await startSwitchProcess('--hosts', '4');
  const to: Address = { host: HOST, port };
  const stranger = (index: number) => ({
    host: `127.8.${(index >>> 8) & 255}.${index & 255}`,
    port: 5_000 + (index >>> 16),
  });
  let index = 0;
  const frames = (function* () {
    for (let count = 0; count < addresses; count++) yield attachFrame(1 + (count % 4), count + 1);
  })();
  const sentBytes = await sayAll(frames, (bytes) => wire.send(bytes, stranger(index++), to));
  const startMs = performance.now();
  const host = await startDaemon('--switch', `${HOST}:${port}`, '--host-id', '3');
  const tookMs = performance.now() - startMs;
  await host.process.stop('SIGTERM');
  return {
    sentBytes,
    drawnBytes: null,
    now: `a new host attaches in ${tookMs.toFixed(0)} ms`,
    wrong: wrongOf([tookMs < MOST_ATTACH_MS, `a new host attached after ${Math.round(tookMs)} ms`]),
  };
}

/** What a switch answers to lines on its control by TCP, until it closes. */
async function tell(at: { host: string; port: number }, ...lines: string[]): Promise<string> {
  const socket = connect(at);
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`${lines.join('\n')}\n`);
  await Promise.race([once(socket, 'close'), sleep(500)]);
  socket.destroy();
  return heard;
}

/** Row 11: another user of the machine. */
export async function controlChannel(): Promise<Outcome> {
  const [usual, tcp] = await Promise.all([startSwitchProcess(), startSwitchProcess('--control', `${HOST}:0`)]);
  const isSocket = usual.control.startsWith('/');
  const modes = isSocket ? [usual.control, dirname(usual.control)].map((path) => statSync(path).mode & 0o777) : [];
  const stop = JSON.stringify({ verb: 'set', link: 'h1', changes: { lossRate: 1 } });
  const port = Number(tcp.control.split(':').at(-1));
  const blind = await tell({ host: HOST, port }, stop);
  const guess = JSON.stringify({ token: 'a'.repeat(32) });
  const guessed = await tell({ host: HOST, port }, guess, stop);
  const isObeyed = [blind, guessed].some((answer) => answer.includes('"ok":true'));
  const open = new XpassProcess(['switch', '--json', '--listen', `${HOST}:0`, '--control', '0.0.0.0:0']);
  await open.event('listening');
  const { stderr } = await open.stop('SIGTERM');
  const ends = await Promise.all([usual, tcp].map(({ process }) => process.stop('SIGTERM')));
  return {
    sentBytes: 2 * stop.length + guess.length,
    drawnBytes: null,
    now: `a socket of mode ${(modes[0] ?? 0).toString(8)}; TCP obeys nobody without its token`,
    wrong: wrongOf(
      [isSocket && modes.some((mode) => (mode & 0o077) === 0), `${usual.control} has the modes ${modes}`],
      [!isObeyed, `TCP without a token: ${blind} ${guessed}`],
      [ends.every(({ code }) => code === 0), `a switch ended with ${ends.map(({ code }) => code)}`],
      [/other machines/.test(stderr), `no warning about 0.0.0.0: ${stderr}`],
    ),
  };
}
