// `npm run check`: every static check, one after the other. All of them run, and the failed ones are listed at the end.
import { spawnSync } from 'node:child_process';
import { compileAll, PrepareError, packageCommand, root } from './prepare.mjs';

const local =
  (script, ...args) =>
  () => {
    const { status } = spawnSync(process.execPath, [script, ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status === 0;
  };

const checks = {
  'types (tsc)': compiles,
  'format and lint (biome)': local(
    packageCommand('@biomejs/biome', 'biome'),
    'ci',
    process.stdout.isTTY ? '--colors=force' : '--colors=off',
  ),
  'imports (dependency-cruiser)': local(
    packageCommand('dependency-cruiser', 'depcruise'),
    '--config',
    '.config/dependency-cruiser.cjs',
    'src',
    'bin',
    'test',
  ),
  'API reference (typedoc)': local(
    packageCommand('typedoc'),
    '--options',
    '.config/typedoc.json',
    '--emit',
    'none',
    '--logLevel',
    'Warn',
  ),
  'unused code (knip)': local(packageCommand('knip'), '--config', '.config/knip.jsonc', '--no-progress'),
};

async function compiles() {
  try {
    await compileAll();
    return true;
  } catch (error) {
    if (error instanceof PrepareError) return false;
    throw error;
  }
}

const failed = [];
for (const [name, check] of Object.entries(checks)) {
  console.log(`\n=== ${name}`);
  if (!(await check())) failed.push(name);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
