/** Whether every link within the site leads somewhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

const SCHEME = /^[a-z][a-z+.-]*:/i;

/** A sentence for each link of a page in `folder` that leads nowhere; links to elsewhere are not looked at. */
export function brokenLinks(folder: string): string[] {
  const files = new Set(filesUnder(folder));
  const idsOf = remembered((path) => new Set(attributes(read(folder, path), 'id|name')));
  return [...files]
    .filter((path) => path.endsWith('.html'))
    .flatMap((path) =>
      [...new Set(attributes(read(folder, path), 'href|src'))]
        .filter((href) => !SCHEME.test(href))
        .flatMap((href) => {
          const problem = problemOf(resolved(path, href), files, idsOf);
          return problem === null ? [] : [`${path}: ${href} ${problem}`];
        }),
    );
}

interface Target {
  readonly path: string;
  readonly id: string;
}

function resolved(from: string, href: string): Target {
  const [path, id = ''] = href.split('#');
  const plain = decodeURIComponent(path.split('?')[0]);
  return { path: plain === '' ? from : posix.join(posix.dirname(from), plain), id: decodeURIComponent(id) };
}

function problemOf({ path, id }: Target, files: Set<string>, idsOf: (path: string) => Set<string>): string | null {
  if (!files.has(path)) return 'leads to no file';
  return id === '' || idsOf(path).has(id) ? null : `leads to no element '${id}'`;
}

/** Values of attributes in tags; what a script or style says is left out. */
function attributes(html: string, names: string): string[] {
  const markup = html.replace(/(<(script|style)\b[^>]*>).*?<\/\2>/gs, '$1');
  const tags = markup.match(/<[a-zA-Z][^>]*>/g) ?? [];
  const pattern = new RegExp(`\\s(?:${names})=(?:"([^"]*)"|'([^']*)')`, 'g');
  return tags.flatMap((tag) =>
    [...tag.matchAll(pattern)].map(([, double, single]) => unescaped(double ?? single ?? '')),
  );
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('&amp;', '&');
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function remembered<T>(make: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const value = known.get(path) ?? make(path);
    known.set(path, value);
    return value;
  };
}
