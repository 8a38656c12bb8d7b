import { describe, expect, it } from 'vitest';
import { loadPeer } from '../../../../src/apps/bench/peers/load-peer.js';

describe('a package to compare with', () => {
  it('is loaded where it is there', async () => {
    expect(await loadPeer('yaml', 'yaml@2')).toHaveProperty('parse');
  });

  it('is named with the way to install it where it is not', async () => {
    const why = await loadPeer('xpass-no-such-package', 'xpass-no-such-package@1.2.3');
    expect(why).toBe('xpass-no-such-package is not installed: npm install --no-save xpass-no-such-package@1.2.3');
  });

  it('is named with the error where it does not load', async () => {
    const why = await loadPeer('data:text/javascript,throw new Error("no binary\\nfor this system")', 'nothing');
    expect(why).toMatch(/cannot be loaded here: no binary$/);
  });
});
