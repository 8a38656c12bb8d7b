import { MILLISECOND_NS } from '../../../src/base/time.js';
import { Attachments } from '../../../src/switch/attachments.js';
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
    const table = new Attachments({
      hostIds: HOST_IDS,
      keepAliveMs: KEEP_ALIVE_MS,
      portOf: (id) => HOST_IDS.indexOf(id),
      maxFrameBytesAt: () => MOST_FRAME_BYTES,
    });
    let nowNs = 0;
    while (!input.isOver) {
      nowNs += input.below(16) === 0 ? input.u16() * MILLISECOND_NS : input.u8();
      step(table, input, nowNs);
      check(table, nowNs);
    }
    table.advance(nowNs + 1_000 * MILLISECOND_NS);
    must(table.statistics.attached === 0, 'what says nothing is attached no more');
    must(table.nextTimeout() === Number.POSITIVE_INFINITY, 'an empty table has no deadline');
  },
};

function step(table: Attachments, input: Input, nowNs: number): void {
  const [id, token, peer] = [input.pick([0, ...HOST_IDS, 77]), input.below(3), input.below(4)];
  const kind = input.below(4);
  if (kind === 0) {
    const port = table.attach({ id, token, peer, maxFrameBytes: input.pick([0, 128, 1_472, 9_000]) }, nowNs);
    const isRefusal = Object.values(AttachRefusal).some((code) => code === -port);
    must(port >= 0 || isRefusal, `${port} is neither a port nor a refusal`);
    if (port >= 0) must(table.peerAt(port) === peer && table.tokenAt(port) === token, 'who is let in has the port');
  } else if (kind === 1) {
    const port = table.keepAlive(id, token, { peer, nowNs });
    if (port >= 0) must(table.peerAt(port) === peer, 'a keep-alive is of the address that is attached');
  } else if (kind === 2) table.detach(id, token, peer);
  else table.advance(nowNs);
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
