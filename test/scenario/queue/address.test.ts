import { describe, expect, it } from 'vitest';
import { queueAddress } from '../../../src/scenario/queue/address.js';

describe('the address of a queue', () => {
  it('is shown without user and password', () => {
    expect(queueAddress('rediss://lab:s3cr%40t@queue.lab:6380/2', {})).toEqual({
      options: {
        host: 'queue.lab',
        port: 6380,
        db: 2,
        username: 'lab',
        password: 's3cr@t',
        tls: { servername: 'queue.lab' },
      },
      shown: 'rediss://queue.lab:6380/2',
    });
  });

  it('has the usual port and database, an address of IPv6, or a Unix domain socket', () => {
    const options = (written: string) => queueAddress(written, {}).options;
    expect(options('redis://queue.lab')).toEqual({ host: 'queue.lab', port: 6379, db: 0 });
    expect(options('redis://[::1]:7000')).toEqual({ host: '::1', port: 7000, db: 0 });
    expect(options('unix:///run/redis/redis.sock')).toEqual({ path: '/run/redis/redis.sock' });
  });

  it('takes the password from the environment where it has none itself', () => {
    const environment = { XPASS_QUEUE_PASSWORD: 's3cret' };
    expect(queueAddress('redis://queue.lab', environment).options).toMatchObject({ password: 's3cret' });
    expect(queueAddress('redis://:own@queue.lab', environment).options).toMatchObject({ password: 'own' });
  });

  it('names a file of TLS that cannot be read', () => {
    expect(() => queueAddress('rediss://queue.lab?ca=/none/ca.pem', {})).toThrow(/^--queue with ca=.*\/none\/ca\.pem/);
  });

  it.each([
    ['http://:s3cret@queue.lab', "'http://queue.lab'"],
    ['redis://:s3cret@queue.lab:port', "'redis://queue.lab:port'"],
    [':s3c@ret@queue.lab', "'queue.lab'"],
    ['redis://queue.lab/runs', "'redis://queue.lab/runs'"],
    ['redis://queue.lab?ca=ca.pem', "'redis://queue.lab'"],
    ['rediss://queue.lab?host=other', "'rediss://queue.lab'"],
    ['unix://', "'unix://'"],
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
