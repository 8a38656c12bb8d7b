import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../scenario/play/package-files.js';

/** Patience for git, which reads two files (ours). */
const GIT_MS = 5_000;

/**
 * The code whose worlds these are: a seed shows the same only there. In a checkout its commit, with `changed` where files differ from it; elsewhere the
 * package's version. `folder`: of the package.
 */
export function codeVersion(folder: URL = packageFile('.')): string {
  // Another repository may be around an installed package.
  const commit = existsSync(new URL('.git', folder)) ? git(folder, 'rev-parse', '--short=12', 'HEAD') : '';
  if (commit !== '') {
    const changes = git(folder, 'status', '--porcelain', '--untracked-files=no');
    return changes === '' ? `commit ${commit}` : `commit ${commit}, changed`;
  }
  const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string };
  return `version ${manifest.version}`;
}

/** '' where git is not there or does not know. */
function git(folder: URL, ...words: string[]): string {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', words, { cwd: fileURLToPath(folder), stdio, timeout: GIT_MS, encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
