import { describe, expect, it } from 'vitest';
import { runAnywhere } from '../../../src/scenario/queue/run-anywhere.js';

describe('runs on a queue', () => {
  it('take no --jobs, which the workers have', async () => {
    const asked = runAnywhere([], { queue: 'redis://127.0.0.1:1', jobs: 2, say: () => undefined });
    await expect(asked).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('xpass work --jobs 2') });
  });
});
