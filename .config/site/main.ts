/** `npm run site`: builds the site into site/ and looks at every link; `--serve` shows it on loopback. */
import { spawnSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './build.js';
import { brokenLinks } from './links.js';
import { serveFolder } from './serve.js';

/** Of `root`, the working copy; `typedoc` is its script. */
export async function runSite(root: string, typedoc: string): Promise<void> {
  const { values } = parseArgs({ options: { serve: { type: 'boolean' }, port: { type: 'string', default: '0' } } });
  const out = join(root, 'site');
  buildSite({ root, out });
  const reference = ['--options', '.config/typedoc.json', '--logLevel', 'Warn', '--out', join(out, 'api')];
  const { status } = spawnSync(process.execPath, [typedoc, ...reference], { cwd: root, stdio: ['ignore', 2, 2] });
  const broken = status === 0 ? brokenLinks(out) : ['the API reference was not written'];
  for (const sentence of broken) process.stderr.write(`site: ${sentence}\n`);
  if (broken.length > 0) {
    process.exitCode = 1;
    return;
  }
  process.stderr.write('site: built, every link leads somewhere: site/index.html\n');
  if (!values.serve) return;
  const server = await serveFolder(out, Number(values.port));
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
}
