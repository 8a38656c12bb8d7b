import { describe, expect, it } from 'vitest';
import { QueueLink } from '../../../src/scenario/queue/link.js';
import { loadPackages } from '../../../src/scenario/queue/packages.js';

describe('the way to a queue', () => {
  it('names the packages that only its users install', async () => {
    const missing = Object.assign(new Error('no bullmq'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadPackages(() => Promise.reject(missing))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('npm install bullmq ioredis'),
    });
    await expect(loadPackages(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('is a failure with status 3 where nobody listens, without the password', async () => {
    await expect(QueueLink.open('redis://:s3cret@127.0.0.1:1', 'test')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^the queue at redis:\/\/127\.0\.0\.1:1 cannot be used: (?!.*s3cret)/),
    });
  });
});
