import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { LOG_LEVELS, type LogFormat, type LogLevel } from '../../../src/apps/shared/log-level.js';
import { createLogger } from '../../../src/apps/shared/logger.js';
import { said } from '../../harness/said.js';

function logged(level: LogLevel, format: LogFormat = 'text', shape: { isTTY?: boolean } = {}): string {
  const stream = Object.assign(new PassThrough(), shape);
  const logger = createLogger({ name: 'xpass send', level, format, stream });
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
      expect(createLogger({ name: 'x', level, format: 'json', stream: new PassThrough() }).level).toBe(level);
    }
  });
});
