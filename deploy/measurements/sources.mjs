// Sources of the project in one file, as in dist/, for measurements of what the package does not export.
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Writes dist/NAME with all exports of `modules`, named below src/ without their ending; returns its path. The caller removes it. */
export async function bundleSources(name, modules, external) {
  const file = `${ROOT}dist/${name}`;
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
