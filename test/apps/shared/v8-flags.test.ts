import { describe, expect, it } from 'vitest';
import { isTuned } from '../../../src/apps/shared/v8-flags.js';

describe('flags of V8', () => {
  it.each(['11.3.244.8-node.38', '12.4.254.21-node.57', '13.6.233.17-node.53', '14.6.202.34-node.34'])(
    'are set on V8 %s',
    (version) => expect(isTuned(version)).toBe(true),
  );

  it.each(['10.2.154.26-node.36', '12.9.202.28-node.14', '14.60.1', '15.0.1', '1.13.6'])(
    'are left out on V8 %s, which nobody has measured',
    (version) => expect(isTuned(version)).toBe(false),
  );
});
