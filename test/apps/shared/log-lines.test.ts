import { describe, expect, it } from 'vitest';
import { logLine } from '../../../src/apps/shared/log-lines.js';

function line(fields: object, hasColors = false): string {
  const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  return logLine(JSON.stringify({ level: 40, time, pid: 1, hostname: 'h', name: 'xpass send', ...fields }), hasColors);
}

describe('a log line for people', () => {
  it('has the local time, the level, who speaks, the message and the fields', () => {
    expect(line({ msg: 'opened', flowId: 7, peer: 'lab7', why: 'no room', at: { port: 1 } })).toBe(
      '[03:04:05.006] WARN (xpass send): opened {"flowId":7,"peer":"lab7","why":"no room","at":{"port":1}}\n',
    );
  });

  it('has the message once, also where a field repeats it', () => {
    expect(line({ message: 'lost', msg: 'lost', code: 'E_LOST' })).toContain('send): lost {"code":"E_LOST"}\n');
    expect(line({ message: 'other', msg: 'lost' })).toContain('lost {"message":"other"}');
  });

  it('cannot be broken or coloured by what is in it', () => {
    const text = line({ msg: 'a\nb\u001b[31m', file: 'c\u001b[2J' });
    expect(text.trimEnd()).toMatch(/^[\x20-\x7e]*$/);
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  it('has its level in colour where that is wanted', () => {
    expect(line({ msg: 'x' }, true)).toContain('\u001b[33mWARN\u001b[39m (xpass');
    expect(line({ msg: 'x', level: 35 }, true)).toContain('35');
  });
});
