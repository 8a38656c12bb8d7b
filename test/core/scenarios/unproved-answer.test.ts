import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../../src/base/time.js';
import { Exchange } from '../../harness/exchange.js';

/** A stream whose opener sends `frames` frames and hears nothing; wire bytes of both directions. */
function unheard(answerBytes: number, frames: number) {
  const world = new Exchange(1);
  const bytes = { forth: 0, back: 0 };
  let left = frames;
  world.network = (frame, from) => {
    if (from === 1) bytes.back += frame.wireBytes;
    if (from === 1 || --left < 0) return [];
    bytes.forth += frame.wireBytes;
    return [0];
  };
  world.requestBytes = 64;
  world.answerBytes = answerBytes;
  world.client.write(64);
  world.drain();
  world.run(12 * SECOND_NS);
  return { world, ...bytes };
}

describe('an answer to a peer that has not proved its address', () => {
  it.each([64, 16_384, 200_000])('of %i bytes sends no more than three times what came', (answerBytes) => {
    const { world, forth, back } = unheard(answerBytes, 3);
    expect(world.server.written).toBe(answerBytes);
    expect(back).toBeGreaterThan(0);
    expect(back).toBeLessThanOrEqual(3 * forth);
    expect(world.server.closings).toContain('unreachable');
  });

  it('goes without credits where it is short', () => {
    const { world } = unheard(64, 3);
    expect(world.hosts[1].endpoint.counters.unprovedHeld).toBeGreaterThan(0);
    expect(world.server.flow.statistics.speculativeFrames).toBe(1);
  });

  it('arrives whole where the opener hears it', () => {
    const world = new Exchange(1);
    world.play(3, { requestBytes: 64, answerBytes: 200_000 });
    expect(world.client.received).toBe(600_000);
    expect(world.hosts[1].endpoint.counters.unprovedHeld).toBe(0);
  });
});
