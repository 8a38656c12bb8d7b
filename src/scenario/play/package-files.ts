import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** By the package's name, since a module in dist/ may stand in a file of another folder than its source. */
const PACKAGE = pathToFileURL(createRequire(import.meta.url).resolve('xpass/package.json'));

/** `path` is from the package's folder, as in `bin/xpass.mjs`. */
export const packageFile = (path: string): URL => new URL(path, PACKAGE);

/** The compiled module of `src/${path}.ts`, which Node.js can start: one that the build has as an entry, see .config/bundle.mjs. */
export const compiledModule = (path: string): URL => packageFile(`dist/${path}.js`);

/** False where modules are those of unit tests, which need no dist/: Node.js starts threads from compiled files only. */
export const IS_COMPILED = import.meta.url.startsWith(packageFile('dist/').href);
