import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { codeVersion } from '../../../src/apps/fuzz/code-version.js';

it('is the commit of a checkout, changed or not, and the version of a package elsewhere', async () => {
  const path = await mkdtemp(join(tmpdir(), 'xpass-code-'));
  const folder = pathToFileURL(`${path}/`);
  const git = (...words: string[]) => execFileSync('git', words, { cwd: path, encoding: 'utf8' }).trim();
  try {
    await writeFile(join(path, 'package.json'), '{"version":"1.2.3"}');
    expect(codeVersion(folder)).toBe('version 1.2.3');
    git('init', '--quiet');
    expect(codeVersion(folder)).toBe('version 1.2.3');
    git('add', '.');
    git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '--message', 'one');
    expect(codeVersion(folder)).toBe(`commit ${git('rev-parse', 'HEAD').slice(0, 12)}`);
    await writeFile(join(path, 'package.json'), '{"version":"1.2.4"}');
    expect(codeVersion(folder)).toMatch(/^commit [0-9a-f]{12}, changed$/);
  } finally {
    await rm(path, { recursive: true });
  }
});
