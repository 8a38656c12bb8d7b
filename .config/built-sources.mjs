import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, sourcesFolder } from './prepare.mjs';

/**
 * Gives Node.js the flattened modules where tests import those of src/. Vitest itself would make each import a property that is read
 * again at every use: the simulations of the tests took two to three times as long so (docs/decisions/0023-flattened-build.md).
 */
export const builtSources = {
  name: 'built-sources',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith('.') || !id.endsWith('.js')) return null;
    const path = relative(join(root, 'src'), join(dirname(importer), id));
    if (path.startsWith(`..${sep}`)) return null;
    return { id: pathToFileURL(join(sourcesFolder, path)).href, external: true };
  },
};
