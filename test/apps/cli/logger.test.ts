import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { logLine, openLog } from '../../../src/apps/cli/logger.js';
import { LOG_LEVELS, type LogFormat, type LogLevel } from '../../../src/apps/shared/command.js';
import { said } from '../../harness/said.js';

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

function logged(level: LogLevel, format: LogFormat = 'text', shape: { isTTY?: boolean } = {}): string {
  const stream = Object.assign(new PassThrough(), shape);
  const { logger } = openLog({ name: 'xpass send', level, format, stream });
  logger.info({ flowId: 7 }, 'opened');
  logger.error('lost');
  return said(stream);
}

describe('a logger', () => {
  it('writes one JSON object a line when it is asked to', () => {
    const [first, second] = logged('info', 'json', { isTTY: true })
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ name: 'xpass send', flowId: 7, msg: 'opened', level: 30 });
    expect(second).toMatchObject({ msg: 'lost', level: 50 });
  });

  it('writes a plain line for people, what is not a terminal too', () => {
    const [first, second, ...others] = logged('info').split('\n');
    expect(first).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO \(xpass send\): opened \{"flowId":7\}$/);
    expect(second).toMatch(/^\[.{12}\] ERROR \(xpass send\): lost$/);
    expect(others).toEqual(['']);
  });

  it('colours it on a terminal', () => {
    vi.stubEnv('NO_COLOR', '');
    vi.stubEnv('TERM', 'xterm');
    const text = logged('info', 'text', { isTTY: true });
    vi.unstubAllEnvs();
    expect(text).toContain('\u001b[32mINFO');
    expect(stripVTControlCharacters(text)).toContain('INFO (xpass send): opened {"flowId":7}');
  });

  it('keeps quiet below its level', () => {
    expect(logged('error')).not.toContain('opened');
    expect(logged('silent')).toBe('');
  });

  it('knows every level that the option allows', () => {
    for (const level of LOG_LEVELS) {
      expect(openLog({ name: 'x', level, format: 'json', stream: new PassThrough() }).logger.level).toBe(level);
    }
  });

  it('writes ten lines of one kind a second, and says then how many it has left out', async () => {
    const stream = new PassThrough();
    const log = openLog({ name: 'xpass daemon', level: 'info', format: 'json', stream });
    const child = log.logger.child({ peer: 'host 3' });
    for (let line = 0; line < 5_000; line++) child.warn({ code: 'aborted' }, `flow ${line} was given up`);
    log.logger.warn({ code: 'timeout' }, 'another kind');
    await log.close();
    const records = said(stream)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records).toHaveLength(12);
    expect(records.at(-2)).toMatchObject({ code: 'timeout', msg: 'another kind' });
    expect(records.at(-1)).toMatchObject({
      level: 40,
      peer: 'host 3',
      code: 'aborted',
      leftOut: 4_990,
      msg: 'more lines of this kind were left out',
    });
  });
});
