import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { areSame, filesOf, send, sendProcess, startDaemon } from './send-lab.js';
import { scratchFolder, within, XpassProcess } from './switch-lab.js';

const FOLDERS = 10;
const FILES_EACH = 20;

/** `tree` with 200 small files, an empty folder and a link out of it; returns its parent. */
async function tree(): Promise<string> {
  const root = await scratchFolder();
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, 'tree', `d${folder}`, 'deep');
    await mkdir(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) await writeFile(join(path, `f${file}`), randomBytes(2_000));
  }
  await mkdir(join(root, 'tree', 'empty'));
  await symlink('/etc', join(root, 'tree', 'link'));
  return root;
}

class PipedSender extends XpassProcess {
  pipe(bytes: Uint8Array): void {
    this.child.stdin.end(bytes);
  }
}

const SUMMARY = (stdout: string) => (JSON.parse(stdout) as { summary: Record<string, unknown> }).summary;

it('sends a folder with its empty ones, leaves links out, and skips what is there', async () => {
  const root = await tree();
  const daemon = await startDaemon();
  const to = ['--to', daemon.address, '--json'];
  const first = await send(join(root, 'tree'), ...to);
  expect(first.code, first.stderr).toBe(0);
  const left = { links: 1, devices: 0, sockets: 0, pipes: 0 };
  const folders = 2 * FOLDERS + 2;
  expect(SUMMARY(first.stdout)).toMatchObject({
    files_sent: FOLDERS * FILES_EACH,
    folders_made: folders,
    left_out: left,
  });
  // So little never fills a window: one flow carries all.
  const files = daemon.process.events.filter(({ event }) => event === 'file');
  expect(new Set(files.map(({ id }) => id)).size).toBe(1);
  expect(await readdir(join(daemon.directory, 'tree', 'empty'))).toEqual([]);
  expect(await readdir(join(daemon.directory, 'tree'))).not.toContain('link');
  const name = join('tree', 'd3', 'deep', 'f7');
  expect(await areSame(join(root, name), join(daemon.directory, name))).toBe(true);
  const again = await send(join(root, 'tree'), ...to);
  expect(SUMMARY(again.stdout)).toMatchObject({ files_sent: 0, files_skipped: FOLDERS * FILES_EACH });
  const contents = await send(`${join(root, 'tree', 'd1')}/`, ...to);
  expect(contents.code, contents.stderr).toBe(0);
  expect((await stat(join(daemon.directory, 'deep', 'f0'))).size).toBe(2_000);
});

it('makes nothing through a link at the receiver, and sends the rest', async () => {
  const root = await tree();
  const daemon = await startDaemon();
  const outside = await scratchFolder();
  await mkdir(join(daemon.directory, 'tree'));
  await symlink(outside, join(daemon.directory, 'tree', 'd0'));
  await writeFile(join(daemon.directory, 'tree', 'd1'), 'a file');
  const sent = await send(join(root, 'tree'), '--to', daemon.address, '--json');
  expect(sent.code).toBe(1);
  expect(await readdir(outside)).toEqual([]);
  const failed = filesOf(sent).filter(({ verified }) => verified === false);
  expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['notAFolder']));
  expect(SUMMARY(sent.stdout)).toMatchObject({ files_sent: (FOLDERS - 2) * FILES_EACH });
});

it('sends standard input under a name', async () => {
  const daemon = await startDaemon();
  const bytes = randomBytes(3_000_000);
  const sender = new PipedSender(['send', '-', '--name', 'x.tar', '--to', daemon.address, '--json']);
  sender.pipe(bytes);
  const ended = await within(sender.ended, 'the end of a pipe', 30_000);
  expect(ended.code, ended.stderr).toBe(0);
  expect(filesOf(ended)).toMatchObject([{ name: 'x.tar', bytes: bytes.length, verified: true }]);
  expect((await readFile(join(daemon.directory, 'x.tar'))).equals(bytes)).toBe(true);
  const nameless = await sendProcess('-', '--to', daemon.address);
  expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining('--name') });
});

it('keeps to the rate of --limit', async () => {
  const root = await tree();
  const daemon = await startDaemon();
  const startMs = performance.now();
  const sent = await send(join(root, 'tree'), '--limit', '4mbit', '--to', daemon.address);
  expect(sent.code, sent.stderr).toBe(0);
  // 3.2 Mbit and 0.2 of headers, less a burst of 1 Mbit.
  expect(performance.now() - startMs).toBeGreaterThan(500);
});
