import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { within } from './switch-lab.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const NPM_PATIENCE_MS = 60_000;
const NO_REGISTRY = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/;

export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const started = promisify(execFile)('npm', args, { cwd, shell: process.platform === 'win32', maxBuffer: 2 ** 26 });
  return (await within(started, `the end of npm ${args[0]}`, NPM_PATIENCE_MS)).stdout;
}

/** Packs the working copy: what is built, without what sources that are gone have left there, and without building again. */
export async function pack(folder: string): Promise<{ tarball: string; files: string[] }> {
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin', 'dist']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isCurrent });
  }
  const [{ filename, files }] = JSON.parse(await npm(folder, 'pack', '--ignore-scripts', '--json'));
  return { tarball: join(folder, filename), files: files.map(({ path }: { path: string }) => path) };
}

function isCurrent(path: string): boolean {
  const [room, ...rest] = relative(ROOT, path).split(/[\\/]/);
  const source = join(ROOT, 'src', ...rest).replace(/(\.d)?\.(js|ts)$/, '.ts');
  return room !== 'dist' || !/\.(js|ts)$/.test(path) || existsSync(source);
}

/** Installs the tarball in an empty folder; says why where no registry answers. */
export async function install(folder: string, tarball: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  try {
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
    return '';
  } catch (error) {
    const isOffline = process.env.CI === undefined && NO_REGISTRY.test(String(error));
    if (isOffline) return `npm's cache lacks a package, and no registry answers: ${error}`;
    throw error;
  }
}
