import { describe, expect, it } from 'vitest';
import { WebAccess } from '../../../../src/apps/shared/web/access.js';

const TOKEN = '0123456789abcdef0123456789abcdef';
const access = new WebAccess({ host: '127.0.0.1', port: 1 }, TOKEN);
const open = new WebAccess({ host: 'lab.example', port: 1 }, TOKEN);
const asking = (headers: object, url = '/', method = 'POST') => ({
  method,
  url,
  headers: { host: '127.0.0.1:1', ...headers },
});
const good = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, origin: 'http://127.0.0.1:1' };

describe('who may use a live page', () => {
  it.each(['127.0.0.1:28480', 'localhost:28480', '[::1]:28480', 'LOCALHOST'])('knows itself as %s', (host) => {
    expect(access.refusal(asking({ host }))).toBeNull();
  });

  it.each(['evil.example', 'evil.example:28480', '', '127.0.0.1.evil.example', undefined])(
    'is not called %s',
    (host) => {
      expect(access.refusal(asking({ host }))).toMatchObject({ status: 421 });
    },
  );

  it('answers to the name that it was given', () => {
    expect(open.refusal(asking({ host: 'lab.example:28480' }))).toBeNull();
  });

  it('shows itself to whoever is on this machine, and elsewhere to who has the token', () => {
    expect(access.lookRefusal(asking({}, '/events'))).toBeNull();
    expect(open.lookRefusal(asking({}, '/events'))).toMatchObject({ status: 401 });
    expect(open.lookRefusal(asking({}, '/events?token=0'))).toMatchObject({ status: 401 });
    expect(open.lookRefusal(asking({}, `/events?token=${TOKEN}`))).toBeNull();
  });

  it('takes commands of its own page with the token', () => {
    expect(access.changeRefusal(asking(good))).toBeNull();
  });

  it.each([
    ['another page', 403, { ...good, origin: 'http://evil.example' }],
    ['a sandboxed page', 403, { ...good, origin: 'null' }],
    ['a form', 415, { ...good, 'content-type': 'text/plain' }],
    ['nobody in particular', 401, { ...good, authorization: undefined }],
    ['who guesses', 401, { ...good, authorization: `Bearer ${TOKEN.replace('0', '1')}` }],
  ])('takes no command of %s', (_, status, headers) => {
    expect(access.changeRefusal(asking(headers))).toMatchObject({ status });
  });

  it('takes commands by POST alone', () => {
    expect(access.changeRefusal(asking(good, '/control', 'GET'))).toMatchObject({ status: 405 });
  });
});
