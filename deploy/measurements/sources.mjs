// Sources of the project in one file, for measurements of what the package does not export.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Writes a file of this process with all exports of `modules`, named below src/ without their ending; returns its path. The caller removes it. */
export async function bundleSources(name, modules, external) {
  const folder = `${ROOT}node_modules/.cache`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${name}-${process.pid}.mjs`;
  const code = modules.map((each) => `export * from '${ROOT}src/${each}.ts';`).join('\n');
  const entry = {
    name: 'entry',
    resolveId: (id) => (id === 'entry' ? id : null),
    load: (id) => (id === 'entry' ? code : null),
  };
  await build({
    input: 'entry',
    cwd: ROOT,
    platform: 'node',
    tsconfig: true,
    external,
    plugins: [entry],
    output: { file, format: 'esm', codeSplitting: false },
  });
  return file;
}
