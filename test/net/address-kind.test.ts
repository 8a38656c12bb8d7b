import { describe, expect, it } from 'vitest';
import { address } from '../../src/net/address-kind.js';

describe('an address as a value', () => {
  it('is read and written back', () => {
    const kind = address();
    for (const text of ['10.0.0.2:4000', '[::1]:4000', 'lab-7.example:65535']) {
      expect(kind.format(kind.parse(text)!)).toBe(text);
    }
  });

  it('takes defaults for what is left out, and says so', () => {
    const kind = address({ host: '127.0.0.1', port: 4000, anyPort: true });
    expect(kind.parse(':0')).toEqual({ host: '127.0.0.1', port: 0 });
    expect(kind.parse('h')).toEqual({ host: 'h', port: 4000 });
    expect(kind.allowed).toBe(
      'HOST:PORT, [IPV6]:PORT, :PORT (of 127.0.0.1), HOST (port 4000); ports 0 (any free one) to 65535',
    );
  });

  it.each(['', 'h', ':1', 'h:0', 'h:65536', 'h:x', '::1:5:', '[x]:1'])('is not read from %j', (text) => {
    expect(address().parse(text)).toBeUndefined();
  });
});
