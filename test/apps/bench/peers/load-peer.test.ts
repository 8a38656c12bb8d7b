import { describe, expect, it } from 'vitest';
import { loadPeer } from '../../../../src/apps/bench/peers/load-peer.js';

describe('an optional package', () => {
  it('is loaded where it is there', async () => {
    expect(await loadPeer('yaml')).toHaveProperty('parse');
  });

  it('is missed in one line where it is not', async () => {
    const why = await loadPeer('xpass-no-such-package');
    expect(why).toMatch(/^xpass-no-such-package cannot be loaded here: [^\n]*xpass-no-such-package[^\n]*$/);
  });
});
