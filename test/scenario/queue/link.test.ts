import { describe, expect, it } from 'vitest';
import { QueueLink } from '../../../src/scenario/queue/link.js';
import { installCommand, loadPackages } from '../../../src/scenario/queue/packages.js';

describe('the way to a queue', () => {
  it('names the packages that only its users install', async () => {
    const missing = Object.assign(new Error('no bullmq'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadPackages(() => Promise.reject(missing))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/npm install .*bullmq@6 ioredis@6$/),
    });
    await expect(loadPackages(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('has a command that puts them where this program finds them', () => {
    const isProject = (path: string) => path === '/lab/package.json';
    const packages = 'bullmq@6 ioredis@6';
    const command = (folder: string) => installCommand(folder, isProject);
    expect(command('/lab/node_modules/xpass')).toBe(`npm install --prefix '/lab' ${packages}`);
    expect(command('/usr/lib/node_modules/xpass')).toBe(`npm install --global ${packages}`);
    expect(command('/lab/xpass')).toBe(`npm install --no-save --prefix '/lab/xpass' ${packages}`);
  });

  it('is a failure with status 3 where nobody listens, without the password', async () => {
    await expect(QueueLink.open('redis://:s3cret@127.0.0.1:1', 'test')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/^the queue at redis:\/\/127\.0\.0\.1:1 cannot be used: (?!.*s3cret)/),
    });
  });
});
