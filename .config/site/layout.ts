/** What all pages of the site have around them. */
import { escapeHtml } from '../../src/report/html.js';
import { PAGE_STYLE } from '../../src/report/page-style.js';

export interface PageParts {
  readonly title: string;
  /** Place on the site, with slashes: `docs/API.html`. */
  readonly path: string;
  readonly main: string;
  /** HTML beside the page; empty for none. */
  readonly side?: string;
  readonly style?: string;
  /** HTML behind the page, and what the page's policy says of scripts. */
  readonly scripts?: string;
  readonly policy?: string;
}

const STYLE = `header.site { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.4rem; padding: 0.6rem clamp(1rem, 3vw, 3rem); border-bottom: 1px solid var(--line); background: var(--raised); }
header.site > a { font-weight: 700; font-size: 1.08rem; text-decoration: none; color: var(--ink); }
header.site nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; }
header.site nav a { text-decoration: none; } header.site nav a:hover, header.site nav a[aria-current] { text-decoration: underline; text-underline-offset: 0.3em; }
.search { margin-left: auto; position: relative; }
.search input { font: inherit; width: min(16rem, 60vw); padding: 0.25em 0.6em; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--ink); }
.search ol { position: absolute; right: 0; top: 100%; z-index: 2; margin: 0.3em 0 0; padding: 0.3em 0; list-style: none; width: min(26rem, 90vw); max-height: 70vh; overflow-y: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 6px 24px rgb(0 0 0 / 25%); }
.search li a, .search li p { display: block; padding: 0.3em 0.9em; margin: 0; text-decoration: none; font-size: 0.87rem; line-height: 1.35; }
.search li a:hover, .search li a:focus { background: var(--raised); }
.search li span { display: block; color: var(--soft); }
@media (max-width: 40rem) { .search { margin-left: 0; } .search ol { right: auto; left: 0; } }
.with-contents > nav h2 { font-size: 0.8rem; color: var(--soft); margin: 1.2em 0 0.4em; padding: 0; border: 0; }
.with-contents > nav summary + h2 { margin-top: 0.2em; }
.with-contents > nav [aria-current] { font-weight: 700; color: var(--ink); }
.with-contents > nav ul ul { margin: 0.45em 0 0.6em 0.9em; }
.with-contents > nav summary { font-weight: 600; }
@media (min-width: 60.01rem) { .with-contents > nav details[open] > summary { display: none; } }
@media (max-width: 60rem) { .with-contents > nav summary { margin-left: 1.1em; } .with-contents > nav details > :is(ul, h2) { margin-left: 1.1rem; } }
main.text { max-width: 76rem; }
.text p, .text li { max-width: 78ch; }
.text pre { white-space: pre; overflow-x: auto; overflow-wrap: normal; }
.text :not(pre) > code { background: var(--raised); border-radius: 4px; padding: 0.08em 0.3em; overflow-wrap: anywhere; }
.text td code { white-space: normal; } .text td:first-child code { white-space: nowrap; }
.text h1, .text h2, .text h3 { scroll-margin-top: 1rem; }
@media print { header.site { display: none; } }`;

/** Scripts of the site itself stand beside it; what a page of the repository says becomes none. */
const POLICY = "default-src 'none'; script-src 'self' file:; style-src 'unsafe-inline'; img-src 'self' file:";

const PLACES = [
  ['docs/', 'index.html', 'Documents'],
  ['docs/results/', 'docs/results/README.html', 'Results'],
  ['api/', 'api/index.html', 'API reference'],
  ['playground.html', 'playground.html', 'Playground'],
] as const;

export function sitePage({
  title,
  path,
  main,
  side = '',
  style = '',
  scripts = '',
  policy = POLICY,
}: PageParts): string {
  const up = '../'.repeat(path.split('/').length - 1);
  const here = PLACES.findLast(([prefix]) => path.startsWith(prefix)) ?? PLACES[0];
  const links = PLACES.map(
    (place) => `<a href="${up}${place[1]}"${place === here ? ' aria-current="true"' : ''}>${place[2]}</a>`,
  );
  const search = policy === POLICY;
  const body =
    side === ''
      ? main
      : `<div class="with-contents">\n<nav aria-label="Documents">\n<details open><summary>Contents</summary>\n${side}\n</details>\n</nav>\n${main}\n</div>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${PAGE_STYLE}
${STYLE}
${style}
</style>
</head>
<body>
<header class="site">
<a href="${up}index.html">xpass</a>
<nav aria-label="Site">${links.join('\n')}</nav>
${search ? '<search class="search"><input type="search" aria-label="Search the documents" placeholder="Search the documents"></search>' : ''}
</header>
${body}
${search ? `<script src="${up}search.js" data-root="${up}"></script>\n` : ''}${scripts}</body>
</html>
`;
}
