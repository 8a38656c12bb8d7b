import { describe, expect, it } from 'vitest';
import type { FlowReader } from '../../src/core/flow-callbacks.js';
import { Pairing } from '../../src/net/pairing.js';
import type { Receiver } from '../../src/net/receiver.js';

const READER: FlowReader = { onData: () => {}, onEnd: () => {}, onClosed: () => {} };

/** A flow of `peer` that names our flow `pairedFlowId`. */
const reply = (peer: number, pairedFlowId: number) => ({ peer, pairedFlowId }) as Receiver;

describe('flows that answer flows', () => {
  it('go to who waits for them, as often as they come', () => {
    const pairing = new Pairing();
    const taken: Receiver[] = [];
    pairing.expect(3, 77, (answer) => {
      taken.push(answer);
      return READER;
    });
    expect(pairing.take(reply(3, 77))).toBe(READER);
    expect(pairing.take(reply(3, 77))).toBe(READER);
    expect(taken).toHaveLength(2);
  });

  it('are refused by who waits for them', () => {
    const pairing = new Pairing();
    pairing.expect(3, 77, () => null);
    expect(pairing.take(reply(3, 77))).toBeNull();
  });

  it.each([
    ['of another peer', 4, 77],
    ['of another flow', 3, 78],
    ['of peer 0', 0, 3 * 2 ** 16 + 77],
  ])('%s are nobody’s', (_, peer, id) => {
    const pairing = new Pairing();
    pairing.expect(3, 77, () => READER);
    expect(pairing.take(reply(peer, id))).toBeNull();
  });

  it('of peers and ids up to the largest are told apart', () => {
    const pairing = new Pairing();
    const id = 2 ** 32 - 1;
    pairing.expect(65_535, id, () => READER);
    expect(pairing.take(reply(65_535, id))).toBe(READER);
    expect(pairing.take(reply(65_534, id))).toBeNull();
    expect(pairing.take(reply(65_535, id - 1))).toBeNull();
  });

  it('are refused when they are forgotten', () => {
    const pairing = new Pairing();
    pairing.expect(3, 77, () => READER);
    pairing.forget(3, 77);
    expect(pairing.take(reply(3, 77))).toBeNull();
  });
});
