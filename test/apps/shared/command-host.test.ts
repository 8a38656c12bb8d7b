import { describe, expect, it } from 'vitest';
import { parseTarget } from '../../../src/apps/shared/command-host.js';

describe('who a command talks to', () => {
  it('is the only peer of a connected socket in direct mode', () => {
    const address = { host: 'lab-3', port: 5_000 };
    expect(parseTarget('lab-3:5000', false)).toEqual({ to: address, place: { peer: address } });
  });

  it('is a host id behind a switch', () => {
    expect(parseTarget('7', true)).toEqual({ to: 7, place: {} });
  });

  it.each([
    ['7', false, 'host id 7 needs a switch'],
    ['lab-3', true, "host 'lab-3' is not allowed behind a switch"],
  ])('is not %s with a switch: %s', (text, isSwitched, sentence) => {
    expect(() => parseTarget(text, isSwitched)).toThrow(sentence);
  });
});
