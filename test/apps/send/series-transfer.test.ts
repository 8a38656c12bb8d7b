import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileService } from '../../../src/apps/daemon/file-service.js';
import { RateLimiter } from '../../../src/apps/send/rate-limiter.js';
import { type SeriesFile, SeriesTransfer } from '../../../src/apps/send/series-transfer.js';
import { Failure } from '../../../src/base/failure.js';
import { DiscardService } from '../../../src/services/discard.js';
import { encodeMessage } from '../../../src/services/file/message.js';
import type { StreamService } from '../../../src/services/service.js';
import { ServiceHost } from '../../../src/services/service-host.js';
import { SILENT, StreamWorld } from '../../harness/stream-world.js';
import { temporaryDirectory } from '../../services/file/failing-file-system.js';

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads the stream of one file. */
function fileOf(name: string, text: string, sha256 = sha256Of(text)): () => Promise<SeriesFile> {
  const header = encodeMessage({ kind: 'file', name, bytes: text.length, mode: 0o644 });
  const parts = [header, Buffer.from(text), encodeMessage({ kind: 'digest', sha256 })];
  return () => Promise.resolve({ parts, sha256 });
}

/** A series from host 0 to the services of host 1. */
async function bed(servicesOf: (files: FileService) => StreamService[] = (files) => [files.series]) {
  const world = new StreamWorld();
  const host = world.open();
  const directory = await temporaryDirectory();
  const files = new FileService({ directory, overwrite: false, onOutcome: () => {} });
  const services = new ServiceHost({ services: servicesOf(files), logger: SILENT });
  services.serve(world.open());
  const limiter = new RateLimiter(Number.POSITIVE_INFINITY);
  const series = new SeriesTransfer({ host, logger: SILENT, peer: 1, share: {}, limiter });
  return { world, directory, series, services };
}

describe('a series', () => {
  it('gives each file its own verdict: what is wrong with one does not touch the others', async () => {
    const { world, directory, series } = await bed();
    const sent = [
      series.send(fileOf('a', 'one')),
      series.send(fileOf('../b', 'two')),
      series.send(fileOf('c', 'three', sha256Of('another'))),
      series.send(fileOf('empty', '')),
      series.send(fileOf('d', 'x'.repeat(300_000))),
      series.send(fileOf('a', 'again')),
    ];
    const verdicts = await world.play(Promise.all(sent));
    expect(verdicts.map((verdict) => verdict?.code)).toEqual(['ok', 'badName', 'badDigest', 'ok', 'ok', 'exists']);
    await world.play(series.end());
    expect(await readdir(directory)).toEqual(['a', 'd', 'empty']);
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('one');
    expect(series.isOver).toBe(true);
  });

  it('tells all files that their receiver takes no series', async () => {
    const { world, series } = await bed((files) => [files, new DiscardService()]);
    const sent = ['a', 'b'].map((name) => series.send(fileOf(name, name)));
    const verdicts = await world.play(Promise.all(sent));
    expect(verdicts).toMatchObject([
      { ok: false, code: 'unsupported' },
      { ok: false, code: 'unsupported' },
    ]);
    expect(await series.send(fileOf('c', 'c'))).toMatchObject({ code: 'unsupported' });
  });

  it('is reset where it makes no sense, and what has no verdict fails', async () => {
    const { world, series } = await bed();
    const good = await world.play(series.send(fileOf('a', 'one')));
    expect(good?.ok).toBe(true);
    const nonsense = series.send(() =>
      Promise.resolve({ parts: [encodeMessage({ kind: 'file', name: 'b', bytes: -1 })], sha256: sha256Of('') }),
    );
    await expect(world.play(nonsense)).rejects.toMatchObject({ code: 'reset' });
  });

  it('reads a file when it is its turn, goes on where one cannot be read, and gives its bytes back once they are acknowledged', async () => {
    const { world, series } = await bed();
    let released = 0;
    const lent = (name: string) => async () => ({ ...(await fileOf(name, name)()), release: () => released++ });
    const sent = [
      series.send(lent('a')),
      series.send(() => Promise.resolve(null)),
      series.send(() => Promise.reject(new Failure(1, 'unreadable'))),
      series.send(lent('b')),
    ];
    const settled = await world.play(Promise.allSettled(sent));
    expect(settled).toMatchObject([
      { value: { code: 'ok' } },
      { value: null },
      { reason: { message: 'unreadable' } },
      { value: { code: 'ok' } },
    ]);
    expect(released).toBe(2);
    await world.play(series.end());
  });

  it('counts the bytes that were sent and are not known to have arrived', async () => {
    const { world, series } = await bed();
    const sent = series.send(fileOf('a', 'x'.repeat(300_000)));
    await world.playUntil(() => series.bytesUnderWay > 0);
    await world.play(sent);
    expect(series.bytesUnderWay).toBe(0);
  });

  it('believes no verdict with another digest than the file has', async () => {
    const { world, series } = await bed();
    const sent = series.send(async () => ({
      ...(await fileOf('a', 'one')()),
      sha256: sha256Of('what the sender read'),
    }));
    await expect(world.play(sent)).rejects.toThrow('with another SHA-256');
  });

  it('gives up what has no verdict', async () => {
    const { world, series } = await bed();
    const sent = series.send(async () => {
      const file = await fileOf('a', 'one')();
      return { ...file, parts: file.parts.slice(0, 2) };
    });
    world.run(world.nowNs + 1e6);
    await Promise.resolve();
    series.abort(new Failure(1, 'interrupted'));
    await expect(world.play(sent)).rejects.toThrow('interrupted');
    await world.play(series.end());
  });
});
