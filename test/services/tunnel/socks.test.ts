import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeSocksReply,
  SocksReader,
  SocksReply,
  type SocksStep,
  socksReplyOf,
} from '../../../src/services/tunnel/socks.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

const GREETING = Uint8Array.of(5, 1, 0);

function request(type: number, host: readonly number[], port: number, command = 1): Uint8Array {
  return Uint8Array.of(5, command, 0, type, ...host, port >> 8, port & 255);
}

function named(name: string, port: number): Uint8Array {
  return request(3, [name.length, ...Buffer.from(name, 'latin1')], port);
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Every step but `more`, for bytes that come in these chunks. */
function read(...chunks: Uint8Array[]): SocksStep[] {
  const reader = new SocksReader();
  const steps: SocksStep[] = [];
  for (const chunk of chunks) {
    let step = reader.push(chunk);
    while (step.kind === 'greeted') {
      steps.push(step);
      step = reader.push(new Uint8Array(0));
    }
    if (step.kind !== 'more') steps.push(step);
  }
  return steps;
}

const GREETED = { kind: 'greeted', answer: Uint8Array.of(5, 0) };

describe('a SOCKS5 client', () => {
  it.each([
    ['an IPv4 address', request(1, [192, 0, 2, 1], 80), '192.0.2.1', 80],
    ['an IPv6 address', request(4, [0x20, 1, 0xd, 0xb8, ...new Array(11).fill(0), 1], 443), '2001:db8::1', 443],
    ['a name', named('db.example', 5432), 'db.example', 5432],
    ['an IPv4 address as a name', named('192.0.2.1', 80), '192.0.2.1', 80],
    ['an IPv6 address as a name', named('::1', 80), '::1', 80],
    ['IPv4 inside IPv6', request(4, [...new Array(10).fill(0), 255, 255, 192, 0, 2, 1], 80), '192.0.2.1', 80],
  ])('may ask for %s', (_, bytes, host, port) => {
    const connect = { kind: 'connect', target: { host, port }, rest: new Uint8Array(0) };
    expect(read(GREETING, bytes)).toEqual([GREETED, connect]);
  });

  it('loses nothing of what it sends behind its request in the chunk of its greeting, however much that is', () => {
    const rest = new Uint8Array(5_000).fill(7);
    const steps = read(joined(GREETING, named('web', 80), rest));
    expect(steps).toEqual([GREETED, { kind: 'connect', target: { host: 'web', port: 80 }, rest }]);
  });

  it('may send in pieces of any size, and go on at once', () => {
    const rest = Uint8Array.of(...Buffer.from('GET / HTTP/1.0'));
    const all = joined(GREETING, named('web', 80), rest);
    const cuts = fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 20 });
    holds(cuts, 500, (places) => {
      const edges = [0, ...places.sort((a, b) => a - b), all.length];
      const reader = new SocksReader();
      let step: SocksStep = { kind: 'more' };
      let used = 0;
      for (let at = 1; at < edges.length && step.kind !== 'connect'; at++) {
        used = edges[at];
        step = reader.push(all.subarray(edges[at - 1], used));
        if (step.kind === 'greeted') step = reader.push(new Uint8Array(0));
      }
      expect(step).toMatchObject({ kind: 'connect', target: { host: 'web', port: 80 } });
      const early = (step as { rest: Uint8Array }).rest;
      expect(Buffer.concat([early, all.subarray(used)]).toString()).toBe('GET / HTTP/1.0');
    });
  });

  it('may send more early bytes than a request has room for', () => {
    const rest = new Uint8Array(100_000).fill(7);
    const steps = read(GREETING, joined(named('web', 80), rest));
    expect(steps[1]).toEqual({ kind: 'connect', target: { host: 'web', port: 80 }, rest });
  });

  it.each([
    ['version 4', [Uint8Array.of(4, 1, 0, 80)], []],
    ['no method without authentication', [Uint8Array.of(5, 2, 1, 2)], [5, 0xff]],
    ['no method at all', [Uint8Array.of(5, 0)], [5, 0xff]],
    ['BIND', [GREETING, request(1, [192, 0, 2, 1], 80, 2)], [...encodeSocksReply(SocksReply.commandNotSupported)]],
    [
      'UDP ASSOCIATE',
      [GREETING, request(1, [0, 0, 0, 0], 0, 3)],
      [...encodeSocksReply(SocksReply.commandNotSupported)],
    ],
    [
      'an unknown address type',
      [GREETING, request(2, [1, 2], 80)],
      [...encodeSocksReply(SocksReply.addressTypeNotSupported)],
    ],
    ['an empty name', [GREETING, named('', 80)], [...encodeSocksReply(SocksReply.generalFailure)]],
    ['a name with a space', [GREETING, named('a b', 80)], [...encodeSocksReply(SocksReply.generalFailure)]],
    ['port 0', [GREETING, named('web', 0)], [...encodeSocksReply(SocksReply.generalFailure)]],
  ])('is refused with %s', (_, chunks, answer) => {
    const last = read(...chunks).at(-1);
    expect(last).toMatchObject({ kind: 'refused' });
    expect([...(last as { answer: Uint8Array }).answer]).toEqual(answer);
  });

  it('gets nothing out of random bytes but a step', () => {
    const start = fc.constantFrom(new Uint8Array(0), GREETING, Uint8Array.of(5, 1, 0, 5, 1, 0, 3, 255));
    const chunks = fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 6 });
    holds(fc.tuple(start, chunks), 2_000, ([first, rest]) => {
      const steps = read(first, ...rest);
      expect(steps.filter(({ kind }) => kind === 'connect' || kind === 'refused').length).toBeLessThanOrEqual(1);
    });
  });

  it('that has sent all that a request can be gets an answer', () => {
    const longest = joined(Uint8Array.of(5, 255, ...new Array(255).fill(0)), named('a'.repeat(255), 80));
    expect(longest.length).toBe(257 + 262);
    expect(read(longest).map(({ kind }) => kind)).toEqual(['greeted', 'refused']);
  });
});

describe('the reply to a client', () => {
  it('says what the far side said', () => {
    const codes = ['notAllowed', 'unreachable', 'unknownHost', 'refused', 'timeout', 'busy', 'idle', 'constructor'];
    expect(codes.map(socksReplyOf)).toEqual([2, 4, 4, 5, 6, 1, 1, 1]);
  });

  it('has the form of RFC 1928 section 6', () => {
    expect([...encodeSocksReply(SocksReply.succeeded)]).toEqual([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  });
});
