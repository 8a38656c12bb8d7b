/** Markdown of the repository as HTML of the site. */
import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../../src/report/html.js';

export interface Heading {
  /** 1 for the title. */
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** What stands under one heading, for the search. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Where a link of the document leads on the site. */
export type LinkTarget = (href: string) => string;

interface Environment {
  readonly target: LinkTarget;
  readonly ids: Map<string, number>;
  readonly sections: { heading: Heading; text: string }[];
}

const markdown = new MarkdownIt({ html: false });
const { rules } = markdown.renderer;

rules.heading_open = (tokens, at, _options, env: Environment) => {
  const text = plainText(tokens[at + 1].children ?? []);
  const heading = { level: Number(tokens[at].tag.slice(1)), id: freeId(text, env.ids), text };
  env.sections.push({ heading, text: '' });
  return `<${tokens[at].tag} id="${escapeHtml(heading.id)}">`;
};
rules.link_open = (tokens, at, _options, env: Environment) =>
  `<a href="${escapeHtml(env.target(String(tokens[at].attrGet('href'))))}">`;
rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.fence = (tokens, at) => pre(tokens[at].content);
rules.code_block = (tokens, at) => pre(tokens[at].content);

/** Raw HTML in a document is text. */
export function render(source: string, target: LinkTarget): Rendered {
  const env: Environment = { target, ids: new Map(), sections: [] };
  const tokens = markdown.parse(source, env);
  const html = markdown.renderer.render(tokens, markdown.options, env);
  let section = -1;
  for (const { type, content, children } of tokens) {
    if (type === 'heading_open') section++;
    const found = env.sections[section];
    if (found === undefined) continue;
    if (type === 'inline') found.text += ` ${plainText(children ?? [])}`;
    if (type === 'fence' || type === 'code_block') found.text += ` ${content}`;
  }
  return { html, sections: env.sections };
}

/** Keyboards reach what is wider than the page. */
function pre(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
}

function plainText(children: readonly { readonly type: string; readonly content: string }[]): string {
  return children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

/** As GitHub names headings, so that links work in both places: small letters, digits, `_` and `-`, a number behind one that is taken. */
function freeId(text: string, taken: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
  const count = taken.get(id) ?? 0;
  taken.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}
