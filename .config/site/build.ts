/** Builds the site of docs/decisions/0033-site.md: documents, results and the playground; the API reference is typedoc's. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { escapeHtml } from '../../src/report/html.js';
import { CHAPTERS, hrefOf, placeOf } from './documents.js';
import { sitePage } from './layout.js';
import { type Rendered, render, type Section } from './markdown.js';
import { playgroundPage } from './playground.js';

export interface SiteOptions {
  /** The working copy, built. */
  readonly root: string;
  /** Made anew. */
  readonly out: string;
}

const SCENARIOS = 'deploy/scenarios';
const RESULTS = 'docs/results';
/** Written by tests and tools beside the documents, or pages of their own. */
const NO_DOCUMENTS = new Set(['docs/api']);

/** Throws an Error for a link to a file that is not there. */
export function buildSite({ root, out }: SiteOptions): void {
  rmSync(out, { recursive: true, force: true });
  new SiteBuilder(root, out).build();
}

/** The playground alone. */
export function playground(root: string): string {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  const names = readdirSync(join(root, SCENARIOS)).filter((name) => name.endsWith('.yaml'));
  // The first of the menu is what a visitor sees: a few flows that a browser plays in less than a second.
  const ordered = names.sort((a, b) => Number(b === FIRST) - Number(a === FIRST) || (a < b ? -1 : 1));
  return playgroundPage({
    script: text('dist/web/playground/playground.js'),
    simulator: text('dist/web/playground/simulator.js'),
    scenarios: ordered.map((path) => ({ path, source: text(join(SCENARIOS, path)) })),
  });
}

const FIRST = 'first-look.yaml';

class SiteBuilder {
  private readonly root: string;
  private readonly out: string;
  private readonly titles = new Map<string, string>();
  /** For the search: place, title of the page, heading, text. */
  private readonly sections: string[][] = [];
  /** Files that documents lead to, and folders. */
  private readonly wanted = new Set<string>();

  constructor(root: string, out: string) {
    this.root = root;
    this.out = out;
  }

  build(): void {
    const documents = this.documents();
    for (const path of documents) this.titles.set(path, titleOf(this.read(path)));
    this.titles.set('docs/decisions', 'Decisions');
    for (const path of documents) this.document(path);
    this.copyResults();
    for (const path of this.wanted) this.copyWanted(path);
    this.write('playground.html', playground(this.root));
    this.write('search.js', this.read('dist/web/search.js'));
    this.write('search-index.js', `window.xpassSections=${JSON.stringify(this.sections)};`);
  }

  /** Of the column, and the decisions and results that lie beside them. */
  private documents(): string[] {
    const listed = CHAPTERS.flatMap(([, paths]) => paths);
    const inDocs = readdirSync(join(this.root, 'docs'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => posix.join(slashed(entry.parentPath.slice(this.root.length)), entry.name))
      .map((path) => path.replace(/^\//, ''))
      .filter((path) => ![...NO_DOCUMENTS].some((folder) => path.startsWith(`${folder}/`)));
    return [...new Set([...listed.filter((path) => path.endsWith('.md')), ...inDocs.sort()])];
  }

  private document(path: string): void {
    const rendered = render(this.read(path), (href) => this.target(path, href));
    const place = placeOf(path);
    const title = this.titleOf(path);
    for (const section of rendered.sections) this.sections.push(searched(place, title, section));
    this.page(path, place, rendered);
  }

  private page(path: string, place: string, { html, sections }: Rendered): void {
    const main = `<main class="text">\n${html}\n</main>`;
    const side = this.column(path, place, sections);
    this.write(place, sitePage({ title: `${this.titleOf(path)} - xpass`, path: place, main, side }));
  }

  /** All documents, and the chapters of this one. */
  private column(path: string, place: string, sections: readonly Section[]): string {
    const own = sections
      .filter(({ heading }) => heading.level === 2)
      .map(({ heading }) => `<li><a href="#${escapeHtml(heading.id)}">${escapeHtml(heading.text)}</a></li>`);
    const chapter = path.startsWith('docs/decisions/') ? 'docs/decisions' : path;
    const item = (each: string): string => {
      const href = hrefOf(place, placeOf(each, !each.endsWith('.md')));
      const isHere = each === chapter;
      const inside = isHere && own.length > 0 ? `<ul>${own.join('')}</ul>` : '';
      return `<li><a href="${href}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(this.titleOf(each))}</a>${inside}</li>`;
    };
    return CHAPTERS.map(([title, paths]) => `<h2>${title}</h2>\n<ul>${paths.map(item).join('\n')}</ul>`).join('\n');
  }

  /** Where a link leads on the site; what it leads to will be there. */
  private target(from: string, href: string): string {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [written, id] = href.split('#');
    const path = posix.join(posix.dirname(from), written);
    if (!existsSync(join(this.root, path))) throw new Error(`${from}: ${href} leads to no file`);
    const isFolder = statSync(join(this.root, path)).isDirectory();
    const plain = path.replace(/\/$/, '');
    if (!this.titles.has(plain) || isFolder) this.wanted.add(plain);
    return hrefOf(placeOf(from), placeOf(plain, isFolder)) + (id === undefined ? '' : `#${id}`);
  }

  /** Pages, drawings and tables as `xpass figures` has written them. */
  private copyResults(): void {
    for (const entry of readdirSync(join(this.root, RESULTS), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(html|svg|csv)$/.test(entry.name)) continue;
      this.copy(slashed(join(entry.parentPath, entry.name).slice(this.root.length)).replace(/^\//, ''));
    }
  }

  private copyWanted(path: string): void {
    if (statSync(join(this.root, path)).isDirectory()) this.folder(path);
    else this.copy(path);
  }

  /** A list of what is in it. */
  private folder(path: string): void {
    const place = placeOf(path, true);
    const item = (name: string): string => {
      const each = posix.join(path, name);
      const isPage = this.titles.has(each);
      if (!isPage) this.copy(each);
      return `<li><a href="${hrefOf(place, placeOf(each))}">${escapeHtml(isPage ? this.titleOf(each) : name)}</a></li>`;
    };
    const names = readdirSync(join(this.root, path)).sort();
    const title = this.titles.get(path) ?? path;
    const html = `<h1>${escapeHtml(title)}</h1>\n<ul>\n${names.map(item).join('\n')}\n</ul>`;
    this.page(path, place, { html, sections: [] });
  }

  private titleOf(path: string): string {
    return this.titles.get(path) ?? basename(path);
  }

  private copy(path: string): void {
    mkdirSync(dirname(join(this.out, path)), { recursive: true });
    cpSync(join(this.root, path), join(this.out, path));
  }

  private read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  private write(place: string, text: string): void {
    mkdirSync(dirname(join(this.out, place)), { recursive: true });
    writeFileSync(join(this.out, place), text);
  }
}

/** Text of a section in the search (ours): more than its first screens says little new. */
const MAX_SEARCHED = 4_000;

function searched(place: string, title: string, { heading, text }: Section): string[] {
  const href = heading.level === 1 ? place : `${place}#${heading.id}`;
  return [href, title, heading.text, text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SEARCHED)];
}

function titleOf(source: string): string {
  return (/^# (.*)$/m.exec(source)?.[1] ?? 'xpass').replaceAll('`', '');
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
