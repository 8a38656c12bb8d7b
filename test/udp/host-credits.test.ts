import { describe, expect, it } from 'vitest';
import { hostCredits } from '../../src/udp/host-credits.js';

const MIB = 1024 * 1024;

describe('credits of a host', () => {
  it('are bounded where the buffer holds many frames', () => {
    expect(hostCredits(4 * MIB, 1472)).toBe(320);
    // A mebibyte.
    expect(hostCredits(4 * MIB, 8972)).toBe(116);
    expect(hostCredits(4 * MIB, 60_000)).toBe(17);
  });

  it("are as many as half of the kernel's buffer holds of frames that are charged by the page", () => {
    // 8972 + 576 bytes occupy three pages of 4096; half of 2 * 1 MiB holds 85 of them.
    expect(hostCredits(1 * MIB, 8972)).toBe(85);
    expect(hostCredits(1 * MIB, 65_507)).toBe(15);
  });

  it('never fall so low that a flow stands still', () => {
    expect(hostCredits(65_536, 65_507)).toBe(8);
  });
});
