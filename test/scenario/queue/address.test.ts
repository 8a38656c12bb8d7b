import { describe, expect, it } from 'vitest';
import { queueAddress } from '../../../src/scenario/queue/address.js';

describe('the address of a queue', () => {
  it('is shown without user and password', () => {
    expect(queueAddress('rediss://lab:s3cret@queue.lab:6380/2')).toEqual({
      url: 'rediss://lab:s3cret@queue.lab:6380/2',
      shown: 'rediss://queue.lab:6380/2',
    });
  });

  it.each([
    ['http://:s3cret@queue.lab', "'http://queue.lab'"],
    ['redis://:s3cret@queue.lab:port', "'redis://queue.lab:port'"],
    [':s3c@ret@queue.lab', "'queue.lab'"],
    ['redis://queue.lab/runs', "'redis://queue.lab/runs'"],
    ['queue.lab:6379?password=s3cret', "'queue.lab:6379'"],
  ])('%s is refused, and no secret of it is said', (written, shown) => {
    let said = '';
    try {
      queueAddress(written);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain(`--queue ${shown} is not allowed; allowed: redis://HOST:PORT`);
    expect(said).not.toContain('s3c');
  });
});
