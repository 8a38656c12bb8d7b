// `npm run site`: flattens .config/site, which is TypeScript, and runs it. docs/decisions/0033-site.md
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { packageCommand, root } from './prepare.mjs';

/** In node_modules, so that what it imports is found from there. */
const PROGRAM = join(root, 'node_modules', '.cache', 'xpass-site', 'site.mjs');

await build({
  cwd: root,
  input: './.config/site/main.ts',
  platform: 'node',
  logLevel: 'warn',
  external: ['markdown-it'],
  tsconfig: true,
  output: { file: PROGRAM, format: 'esm', codeSplitting: false },
});
const { runSite } = await import(pathToFileURL(PROGRAM).href);
await runSite(root, packageCommand('typedoc'));
