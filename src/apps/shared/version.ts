// Tested by test/apps/cli/program.test.ts
import { readFileSync } from 'node:fs';
import { packageFile } from '../../scenario/play/package-files.js';

/** Of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
  return (manifest as { version: string }).version;
}
