// Flattens src/ for the tests, which import each module by its path: docs/decisions/0023-flattened-build.md.
import { readdirSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { build } from 'rolldown';
import { ENGINE } from './engine.mjs';
import { root, sourcesFolder } from './prepare.mjs';

const source = join(root, 'src');
const modules = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));

await build({
  cwd: root,
  input: Object.fromEntries(modules.map((path) => [path.slice(0, -'.ts'.length), `./src/${path}`])),
  platform: 'node',
  logLevel: 'warn',
  external: (id) => !id.startsWith('.') && !isAbsolute(id),
  tsconfig: true,
  preserveEntrySignatures: 'strict',
  output: {
    dir: sourcesFolder,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups: [{ name: 'engine', test: (id) => ENGINE.test(relative(root, id).replaceAll(sep, '/')) }] },
  },
});
