import { MILLISECOND_NS } from '../../../src/base/time.js';
import { type AttachClaim, Attachments } from '../../../src/switch/attachments.js';
import { AttachRefusal } from '../../../src/wire/layout.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';

const HOST_IDS = [1, 2, 5, 9];
const KEEP_ALIVE_MS = 10;
const MOST_FRAME_BYTES = 1_472;

/** Claims of hosts in any order: an id belongs to one address, refusals have a code, and what is attached expires. */
export const attachments: Target = {
  name: 'attachments',
  seeds: () => [Uint8Array.from([0, 1, 1, 1, 0, 1, 1, 1, 3, 50]), Uint8Array.from([0, 0, 2, 3, 0, 2, 0, 2, 3])],
  maxBytes: 512,
  run: (data) => {
    const input = new Input(data);
    const holders = new Map<number, number>();
    const table = new Attachments({
      hostIds: HOST_IDS,
      keepAliveMs: KEEP_ALIVE_MS,
      portOf: (id) => HOST_IDS.indexOf(id),
      maxFrameBytesAt: () => MOST_FRAME_BYTES,
      onHeld: (peer, isHeld) => holders.set(peer, (holders.get(peer) ?? 0) + (isHeld ? 1 : -1)),
    });
    let nowNs = 0;
    while (!input.isOver) {
      nowNs += input.below(16) === 0 ? input.u16() * MILLISECOND_NS : input.u8();
      step(table, input, nowNs);
      check(table, nowNs);
      checkHolders(table, holders);
    }
    table.advance(nowNs + 1_000 * MILLISECOND_NS);
    must(table.statistics.attached === 0, 'what says nothing is attached no more');
    must(table.nextTimeout() === Number.POSITIVE_INFINITY, 'an empty table has no deadline');
  },
};

function step(table: Attachments, input: Input, nowNs: number): void {
  const [id, process, peer] = [input.pick([0, ...HOST_IDS, 77]), input.below(3), input.below(4)];
  const kind = input.below(4);
  if (kind === 0) claim(table, { id, token: process, nonce: nonceOf(process), peer }, { input, nowNs });
  else if (kind === 3) table.advance(nowNs);
  else {
    const port = table.portAt(id, peer);
    if (port < 0) return;
    must(HOST_IDS[port] === id && table.peerAt(port) === peer, 'a port is of the id and the address that have it');
    const counter = input.u8();
    if (table.isNew(port, counter)) must(!table.isNew(port, counter), 'no frame is new twice');
    if (kind === 1) table.keepAlive(port, nowNs);
    else table.detach(port);
    must(kind === 1 || table.peerAt(port) < 0, 'a port that is given back is free');
  }
}

type Process = Omit<AttachClaim, 'maxFrameBytes'>;

function claim(table: Attachments, who: Process, { input, nowNs }: { input: Input; nowNs: number }): void {
  const before = HOST_IDS.map((_, port) => [table.peerAt(port), table.tokenAt(port)] as const);
  const port = table.attach({ ...who, maxFrameBytes: input.pick([0, 128, 1_472, 9_000]) }, nowNs);
  const isRefusal = Object.values(AttachRefusal).some((code) => code === -port);
  must(port >= 0 || isRefusal, `${port} is neither a port nor a refusal`);
  if (port < 0) return;
  must(table.peerAt(port) === who.peer && table.tokenAt(port) === who.token, 'who is let in has the port');
  must(table.nonceAt(port) === who.nonce, 'its nonce is what shows who it is');
  const [peer, token] = before[port]!;
  must(peer < 0 || peer === who.peer || token === who.token, 'another process at another address takes no port away');
}

/** 64 bits of a process: each its own. */
const NONCES = Array.from({ length: 3 }, (_, process) => new Uint8Array(8).fill(process + 1));

function nonceOf(process: number): Uint8Array {
  return NONCES[process]!;
}

/** The number of an address that is attached stands for no other. */
function checkHolders(table: Attachments, holders: ReadonlyMap<number, number>): void {
  for (const port of HOST_IDS.keys()) {
    const peer = table.peerAt(port);
    must(peer < 0 || (holders.get(peer) ?? 0) > 0, `address ${peer} is attached, and nobody holds it`);
  }
}

function check(table: Attachments, nowNs: number): void {
  const attached = HOST_IDS.filter((_, port) => table.peerAt(port) >= 0);
  const { statistics } = table;
  must(statistics.attached === attached.length, `${statistics.attached} attached, ${attached.length} ports taken`);
  must(
    Object.values(statistics).every((count) => count >= 0),
    'no count is below zero',
  );
  table.advance(nowNs);
  must(table.nextTimeout() > nowNs, 'no deadline is in the past');
}
