import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compiledModule, packageFile } from '../../../src/scenario/play/package-files.js';

it("finds the package's files wherever the module stands", () => {
  expect(readFileSync(packageFile('package.json'), 'utf8')).toContain('"name": "xpass"');
  expect(existsSync(packageFile('bin/xpass.mjs'))).toBe(true);
  const source = fileURLToPath(compiledModule('apps/lab/host.child'))
    .replace(/\bdist\b(?!.*\bdist\b)/, 'src')
    .replace(/js$/, 'ts');
  expect(existsSync(source), source).toBe(true);
});
