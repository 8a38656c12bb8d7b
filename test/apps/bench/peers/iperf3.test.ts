import { describe, expect, it } from 'vitest';
import { parseGoodput } from '../../../../src/apps/bench/peers/iperf3.js';

describe('the output of iperf3', () => {
  it('has the goodput at the receiver', () => {
    const end = { sum_sent: { bits_per_second: 3e9 }, sum_received: { bits_per_second: 2.5e9 } };
    expect(parseGoodput(JSON.stringify({ end }))).toBe(2.5e9);
  });

  it('says why there is none', () => {
    const refused = 'error - unable to connect to server: Connection refused';
    expect(parseGoodput(JSON.stringify({ end: {}, error: refused }))).toBe(`iperf3 failed: ${refused}`);
    expect(parseGoodput('{}')).toBe('iperf3 failed: it tells no goodput');
  });
});
