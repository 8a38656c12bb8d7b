import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildSite } from '../../.config/site/build.js';
import { brokenLinks } from '../../.config/site/links.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the site', () => {
  it('has a page for each document, and every link within it leads somewhere', () => {
    const out = mkdtempSync(join(tmpdir(), 'xpass-site-'));
    onTestFinished(() => rmSync(out, { recursive: true, force: true }));
    buildSite({ root: ROOT, out });
    // Stands for the API reference, which typedoc writes and `npm run check` looks at.
    mkdirSync(join(out, 'api'));
    writeFileSync(join(out, 'api/index.html'), '');
    expect(brokenLinks(out)).toEqual([]);
    expect(readFileSync(join(out, 'docs/ARCHITECTURE.html'), 'utf8')).toContain('<h2 id="two-worlds">');
    writeFileSync(join(out, 'new.html'), '<a href="docs/API.html#nowhere">a</a> <a href="gone.html">b</a>');
    expect(brokenLinks(out)).toEqual([
      "new.html: docs/API.html#nowhere leads to no element 'nowhere'",
      'new.html: gone.html leads to no file',
    ]);
  });
});
