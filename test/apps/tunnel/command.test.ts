import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { TUNNEL_OPTIONS } from '../../../src/apps/tunnel/command.js';

const resolve = (...given: [string, string[]][]) => resolveOptions(TUNNEL_OPTIONS, new Map([['to', ['2']], ...given]));

describe('the options of xpass tunnel', () => {
  it('begin flows with data unless told not to', () => {
    expect(resolve().speculative).toBe(true);
    expect(resolve(['speculative', ['false']]).speculative).toBe(false);
  });

  it('take any number of forwards', () => {
    const { local, remote, dynamic } = resolve(['local', ['1:a:2', '3:b:4']], ['dynamic', ['1080']]);
    expect([local.length, remote.length, dynamic.length]).toEqual([2, 0, 1]);
  });

  it('name a forward that makes no sense, and what is allowed', () => {
    expect(() => resolve(['local', ['80:web']])).toThrow("--local '80:web' is not allowed; allowed: [BIND:]PORT:HOST:");
  });
});
