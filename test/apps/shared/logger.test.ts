import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LOG_LEVELS, type LogLevel } from '../../../src/apps/shared/log-level.js';
import { createLogger } from '../../../src/apps/shared/logger.js';

async function logged(level: LogLevel, shape: { isTTY?: boolean } = {}): Promise<string> {
  const stream = Object.assign(new PassThrough(), shape);
  const logger = await createLogger({ name: 'xpass send', level, stream });
  logger.info({ flowId: 7 }, 'opened');
  logger.error('lost');
  return String(stream.read() ?? '');
}

describe('a logger', () => {
  it('writes one JSON object a line', async () => {
    const [first, second] = (await logged('info'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ name: 'xpass send', flowId: 7, msg: 'opened', level: 30 });
    expect(second).toMatchObject({ msg: 'lost', level: 50 });
  });

  it('writes for people on a terminal', async () => {
    const text = await logged('info', { isTTY: true });
    expect(text).toContain('opened');
    expect(text).toContain('flowId');
    expect(text.startsWith('{')).toBe(false);
  });

  it('keeps quiet below its level', async () => {
    expect(await logged('error')).not.toContain('opened');
    expect(await logged('silent')).toBe('');
  });

  it('knows every level that the option allows', async () => {
    for (const level of LOG_LEVELS) {
      expect((await createLogger({ name: 'x', level, stream: new PassThrough() })).level).toBe(level);
    }
  });
});
