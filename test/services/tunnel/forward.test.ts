import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BIND, FORWARD } from '../../../src/services/tunnel/forward.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

const LOOPBACK = '127.0.0.1';

describe('what -L and -R say', () => {
  it.each([
    ['5432:db.example:5432', { host: LOOPBACK, port: 5432 }, { host: 'db.example', port: 5432 }],
    ['0:10.0.0.1:80', { host: LOOPBACK, port: 0 }, { host: '10.0.0.1', port: 80 }],
    ['192.0.2.7:8080:web:80', { host: '192.0.2.7', port: 8080 }, { host: 'web', port: 80 }],
    ['[::1]:8080:[2001:db8::1]:80', { host: '::1', port: 8080 }, { host: '2001:db8::1', port: 80 }],
    ['8080:[::1]:80', { host: LOOPBACK, port: 8080 }, { host: '::1', port: 80 }],
    ['*:8080:web:80', { host: '::', port: 8080 }, { host: 'web', port: 80 }],
    [':8080:web:80', { host: '::', port: 8080 }, { host: 'web', port: 80 }],
    ['localhost:8080:localhost:80', { host: 'localhost', port: 8080 }, { host: 'localhost', port: 80 }],
  ])('%s', (text, bind, target) => {
    const forward = FORWARD.parse(text);
    expect(forward).toEqual({ bind, target });
    expect(FORWARD.parse(FORWARD.format(forward!))).toEqual(forward);
  });

  it.each([
    '',
    '80',
    '80:web',
    '80:web:',
    '80::80',
    '80:web:0',
    '80:web:65536',
    'x:web:80',
    'a:b:web:80',
    '1:2:3:4:5',
    '80:[::1:80',
    '80:[web]:80',
    '80:::1:80',
    '[::1]x:80:web:80',
    '80:we b:80',
    '-1:web:80',
  ])('refuses %s', (text) => {
    expect(FORWARD.parse(text)).toBeUndefined();
  });

  it('never throws', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[[\]:*a-f0-9.]{0,40}$/));
    holds(text, 2_000, (written) => void [FORWARD.parse(written), BIND.parse(written)]);
  });
});

describe('what -D says', () => {
  it.each([
    ['1080', { host: LOOPBACK, port: 1080 }],
    ['[::1]:1080', { host: '::1', port: 1080 }],
    ['*:1080', { host: '::', port: 1080 }],
    ['192.0.2.7:0', { host: '192.0.2.7', port: 0 }],
  ])('%s', (text, bind) => {
    expect(BIND.parse(text)).toEqual(bind);
    expect(BIND.parse(BIND.format(bind))).toEqual(bind);
  });

  it.each(['', 'web', '80:80:80', '65536', '::1:80', '1080:'])('refuses %s', (text) => {
    expect(BIND.parse(text)).toBeUndefined();
  });
});
