// Tested by test/loopback/site.test.ts
/** The search of the site: sections that have all words, those whose headings have them first. The index is fetched when somebody searches. */

/** Place, title of the page, heading, text. */
type Section = readonly [href: string, title: string, heading: string, text: string];

declare global {
  interface Window {
    xpassSections?: readonly Section[];
  }
}

/** As many as fit under the field (ours). */
const MAX_FOUND = 12;
/** Letters of a section that begins with the title of its page: two lines. */
const MAX_TEXT = 80;

const root = document.currentScript?.dataset.root ?? '';
const field = document.querySelector<HTMLInputElement>('.search input');
const list = document.createElement('ol');
list.hidden = true;
field?.after(list);

function load(): void {
  const script = document.createElement('script');
  script.src = `${root}search-index.js`;
  script.addEventListener('load', show);
  document.head.append(script);
}

function show(): void {
  const words = (field?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : matches(window.xpassSections ?? [], words);
  list.replaceChildren(...(found.length > 0 ? found.map(item) : [nothing()]));
  list.hidden = words.length === 0 || window.xpassSections === undefined;
}

function matches(sections: readonly Section[], words: readonly string[]): Section[] {
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rank = ([, title, heading]: Section) => (has(heading) ? 0 : has(`${title} ${heading}`) ? 1 : 2);
  return sections
    .filter((section) => has(section.slice(1).join(' ')))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_FOUND);
}

function item([href, title, heading, text]: Section): HTMLElement {
  const link = document.createElement('a');
  link.href = root + href;
  const where = document.createElement('span');
  where.textContent = title === heading ? beginning(text, heading) : title;
  link.append(heading, where);
  return listed(link);
}

/** Behind the heading, up to the end of a word. */
function beginning(text: string, heading: string): string {
  const rest = text.startsWith(heading) ? text.slice(heading.length).trim() : text;
  return rest.length <= MAX_TEXT ? rest : `${rest.slice(0, MAX_TEXT).replace(/\s+\S*$/, '')} ...`;
}

function nothing(): HTMLElement {
  const text = document.createElement('p');
  text.textContent = 'Nothing has all these words.';
  return listed(text);
}

function listed(inner: HTMLElement): HTMLElement {
  const element = document.createElement('li');
  element.append(inner);
  return element;
}

// On a narrow screen the page comes first. Without this script its contents do.
if (matchMedia('(max-width: 60rem)').matches)
  for (const contents of document.querySelectorAll<HTMLDetailsElement>('nav > details')) contents.open = false;

field?.addEventListener('focus', load, { once: true });
field?.addEventListener('input', show);
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') list.hidden = true;
});
document.addEventListener('click', ({ target }) => {
  if (target instanceof Node && !list.parentElement?.contains(target)) list.hidden = true;
});
