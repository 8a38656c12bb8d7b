// Flattens src/ into dist/: docs/decisions/0023-flattened-build.md. Types are checked and declared by tsc, see prepare.mjs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { build } from 'rolldown';
import { ENGINE } from './engine.mjs';
import { root } from './prepare.mjs';

const OUT = join(root, 'dist');
const MAIN = 'src/apps/cli/main.ts';

/** Packages that become part of dist/, so that users install none of them. docs/decisions/0002-runtime-dependencies.md */
const BUNDLED = new Set(['prom-client', '@opentelemetry/api', 'tdigest', 'bintrees', 'yargs', 'yargs-parser']);

/** Packages inside the scripts of pages. */
const OF_PAGES = ['uplot'];

const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

/** Their licences ask to be passed on. */
function licences() {
  const texts = [...BUNDLED, ...OF_PAGES].map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}, ${license}\n\n${text}`;
  });
  return texts.join(`\n${'='.repeat(80)}\n`);
}

/** Paths of the files in `folder`, with slashes. */
const filesUnder = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(join(entry.parentPath, entry.name)));

/** In dist/. */
const pageFile = (path) => path.slice('src/'.length).replace(/\.page\.ts$/, '.js');

const slashed = (path) => relative(root, path).replaceAll(sep, '/');

/** What Node.js starts or others import, by the path in dist/ without its extension. */
const entries = [
  MAIN,
  'src/index.ts',
  'src/net/compat/net.ts',
  ...filesUnder(join(root, 'src')).filter((path) => /\.(child|worker)\.ts$/.test(path)),
];

/** Modules that every start of `xpass` loads with its main program. They stay out of the engine, which `xpass --help` does not need. */
function isOfEveryStart(id, context) {
  const reached = new Set([join(root, MAIN)]);
  for (const module of reached)
    for (const imported of context.getModuleInfo(module)?.importedIds ?? []) reached.add(imported);
  return reached.has(id) && slashed(id) !== MAIN;
}

/**
 * V8 folds a constant that its module keeps to itself. Each that a file of dist/ exports is exported under another name, and stays a constant of its own
 * within the file.
 */
const exportCopies = {
  name: 'export-copies',
  renderChunk(code) {
    const { body } = this.parse(code);
    const list = body.at(-1);
    if (list?.type !== 'ExportNamedDeclaration' || list.source !== null) return null;
    const constants = body
      .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
      .flatMap(({ declarations }) => declarations.map(({ id }) => id.name));
    const copied = new Set(list.specifiers.map(({ local }) => local.name).filter((name) => constants.includes(name)));
    if (copied.size === 0) return null;
    const copies = [...copied].map((name) => `const ${name}$copy = ${name};\n`).join('');
    const names = list.specifiers.map(
      ({ local: { name }, exported }) => `${name}${copied.has(name) ? '$copy' : ''} as ${exported.name}`,
    );
    // The list of exports stands at the end: no line above it moves.
    return { code: `${code.slice(0, list.start)}${copies}export { ${names.join(', ')} };\n`, map: null };
  },
};

/** Scripts of pages: each is one file with its packages inside, which a page holds or a server sends. */
const pages = filesUnder(join(root, 'src/web')).filter((path) => path.endsWith('.page.ts'));

/** What an earlier build has left. */
const removeOthers = {
  name: 'remove-others',
  writeBundle(_, bundle) {
    const written = new Set([...Object.keys(bundle), ...pages.map(pageFile)].map((name) => `dist/${name}`));
    for (const path of filesUnder(OUT).filter((path) => /\.js(\.map)?$/.test(path)))
      if (!written.has(path)) rmSync(join(root, path));
  },
};

await build({
  cwd: root,
  input: Object.fromEntries(entries.map((path) => [path.slice('src/'.length, -'.ts'.length), `./${path}`])),
  platform: 'node',
  logLevel: 'warn',
  external: (id) => !BUNDLED.has(packageOf(id)) && !id.startsWith('.') && !isAbsolute(id),
  tsconfig: true,
  // Of yargs only its parser is used, which needs none of the packages around it.
  treeshake: { moduleSideEffects: [{ test: /node_modules\/yargs\//, sideEffects: false }] },
  plugins: [exportCopies, removeOthers],
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: OUT,
    format: 'esm',
    sourcemap: true,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      groups: [
        { name: (id, context) => (isOfEveryStart(id, context) ? 'start' : null), debugName: 'start', priority: 2 },
        { name: 'engine', test: (id) => ENGINE.test(slashed(id)), priority: 1 },
      ],
    },
  },
});

for (const path of pages) {
  await build({
    cwd: root,
    input: `./${path}`,
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: true,
    output: { file: join(OUT, pageFile(path)), format: 'iife', minify: true, comments: false, codeSplitting: false },
  });
}
writeFileSync(join(OUT, 'LICENSES-OF-OTHERS.txt'), licences());
