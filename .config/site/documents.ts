/** Which files of the repository are pages of the site, and where. */
import { posix } from 'node:path';

/** The column of documents: headings with their files. */
export const CHAPTERS: readonly (readonly [title: string, paths: readonly string[]])[] = [
  ['Begin', ['README.md', 'docs/API.md', 'docs/TUNNEL.md', 'deploy/README.md']],
  ['Simulate', ['docs/SCENARIOS.md', 'docs/results/README.md']],
  [
    'Understand',
    ['docs/ARCHITECTURE.md', 'docs/GLOSSARY.md', 'docs/PROTOCOL.md', 'docs/APPLICATIONS.md', 'docs/SECURITY.md'],
  ],
  ['Look up', ['docs/SETTINGS.md', 'docs/METRICS.md', 'docs/CONFORMANCE.md', 'docs/PERF-LOG.md', 'CHANGELOG.md']],
  ['Work on it', ['docs/HACKING.md', 'docs/decisions']],
];

/** Place on the site: pages have the names of their documents, a folder is a list of what is in it. */
export function placeOf(path: string, isFolder = false): string {
  if (path === 'README.md') return 'index.html';
  if (isFolder) return posix.join(path, 'index.html');
  return path.replace(/\.md$/, '.html');
}

/** From one place to another. */
export function hrefOf(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}
