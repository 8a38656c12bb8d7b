import { describe, expect, it } from 'vitest';
import {
  address,
  bindAddressFor,
  formatAddress,
  networkOf,
  parseAddress,
  resolveAddress,
} from '../../src/udp/address.js';

describe('parseAddress', () => {
  it.each([
    ['10.0.0.1:9000', '10.0.0.1', 9000],
    ['localhost:1', 'localhost', 1],
    ['[::1]:9000', '::1', 9000],
    ['[fe80::1%eth0]:65535', 'fe80::1%eth0', 65_535],
    ['a-b.example.net:80', 'a-b.example.net', 80],
    [' host:7 ', 'host', 7],
  ])('reads %s', (text, host, port) => {
    expect(parseAddress(text)).toEqual({ host, port });
  });

  it.each([
    [':9000', '127.0.0.1', 9000],
    ['server', 'server', 4000],
    ['::1', '::1', 4000],
    ['[::1]', '::1', 4000],
    ['', '127.0.0.1', 4000],
  ])('fills in what %j leaves out', (text, host, port) => {
    expect(parseAddress(text, { host: '127.0.0.1', port: 4000 })).toEqual({ host, port });
  });

  it.each([
    ['host', 'the port is missing'],
    [':9000', 'the host is missing'],
    ['host:0', 'a port is a number from 1 to 65535'],
    ['host:65536', 'a port is a number from 1 to 65535'],
    ['host:12x', 'a port is a number from 1 to 65535'],
    ['host:-1', 'a port is a number from 1 to 65535'],
    ['::1', 'the port is missing'],
    ['fe80::1:x', 'an IPv6 address stands in brackets'],
    ['[host]:80', 'no IPv6 address'],
    ['[::1:80', 'an IPv6 address stands in brackets'],
    ['9000:', "'9000' is neither a host name nor an IPv4 address"],
    ['10.1:80', "'10.1' is neither"],
    ['1.2.3.256:80', "'1.2.3.256' is neither"],
    ['a b:80', "'a b' is no host name"],
    ['-a:80', "'-a' is no host name"],
    [`${'a'.repeat(254)}:80`, 'is no host name'],
  ])('refuses %s and says why', (text, why) => {
    const attempt = () => parseAddress(text, text.startsWith('9000') ? { port: 1 } : {});
    expect(attempt).toThrow(why);
    expect(attempt).toThrow(`'${text}' is not an address`);
    expect(attempt).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('takes port 0 only where the system may choose', () => {
    expect(parseAddress('127.0.0.1:0', { anyPort: true })).toEqual({ host: '127.0.0.1', port: 0 });
    expect(() => parseAddress('127.0.0.1:0')).toThrow('from 1 to');
  });

  it('reads what formatAddress writes', () => {
    for (const address of [
      { host: '::1', port: 80 },
      { host: '1.2.3.4', port: 1 },
      { host: 'name', port: 65_535 },
    ]) {
      expect(parseAddress(formatAddress(address))).toEqual(address);
    }
  });
});

describe('resolveAddress', () => {
  it('leaves numeric addresses as they are', async () => {
    expect(await resolveAddress({ host: '127.0.0.1', port: 5 })).toEqual({ address: '127.0.0.1', port: 5, family: 4 });
    expect(await resolveAddress({ host: '::1', port: 5 })).toEqual({ address: '::1', port: 5, family: 6 });
  });

  it('makes of IPv4 what an IPv6 socket can send to, and says that the other way does not go', async () => {
    const mapped = await resolveAddress({ host: '10.0.0.1', port: 5 }, 6);
    expect(mapped).toEqual({ address: '::ffff:10.0.0.1', port: 5, family: 6 });
    await expect(resolveAddress({ host: '::1', port: 5 }, 4)).rejects.toThrow('[::1]:5 is IPv6');
  });

  it('asks the system for a name', async () => {
    const { address } = await resolveAddress({ host: 'localhost', port: 5 });
    expect(['127.0.0.1', '::1']).toContain(address);
  });

  it('names a host that does not resolve', async () => {
    const attempt = resolveAddress({ host: 'no-such-host.invalid', port: 5 });
    await expect(attempt).rejects.toThrow("the host name 'no-such-host.invalid' does not resolve");
  });
});

describe('bindAddressFor', () => {
  it('stays on loopback for a peer on loopback', () => {
    expect(bindAddressFor({ address: '127.0.0.5', port: 9, family: 4 }).address).toBe('127.0.0.1');
    expect(bindAddressFor({ address: '::1', port: 9, family: 6 }).address).toBe('::1');
    expect(bindAddressFor({ address: '10.0.0.1', port: 9, family: 4 })).toEqual({
      address: '0.0.0.0',
      port: 0,
      family: 4,
    });
    expect(bindAddressFor({ address: 'fe80::1', port: 9, family: 6 }).address).toBe('::');
  });
});

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

describe('networkOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
