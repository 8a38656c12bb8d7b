import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS, type LogLevel } from '../../../src/apps/shared/log-level.js';
import { createLogger } from '../../../src/apps/shared/logger.js';

function logged(level: LogLevel, shape: { isTTY?: boolean } = {}): string {
  const stream = Object.assign(new PassThrough(), shape);
  const logger = createLogger({ name: 'xpass send', level, stream });
  logger.info({ flowId: 7 }, 'opened');
  logger.error('lost');
  return String(stream.read() ?? '');
}

describe('a logger', () => {
  it('writes one JSON object a line', () => {
    const [first, second] = logged('info')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ name: 'xpass send', flowId: 7, msg: 'opened', level: 30 });
    expect(second).toMatchObject({ msg: 'lost', level: 50 });
  });

  it('writes for people on a terminal', () => {
    const text = logged('info', { isTTY: true });
    expect(text).toContain('opened');
    expect(text).toContain('flowId=7');
    expect(text.startsWith('{')).toBe(false);
  });

  it('keeps quiet below its level', () => {
    expect(logged('error')).not.toContain('opened');
    expect(logged('silent')).toBe('');
  });

  it('knows every level that the option allows', () => {
    for (const level of LOG_LEVELS) {
      expect(createLogger({ name: 'x', level, stream: new PassThrough() }).level).toBe(level);
    }
  });
});
