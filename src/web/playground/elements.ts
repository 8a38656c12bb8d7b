// Tested by test/loopback/playground.test.ts
/** Elements of the page by their ids, and new ones. */
import type { TableData } from '../../telemetry/columns.js';

/** Throws for an element that the page does not have. */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} '${id}'`);
}

export function made<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** As report/html.ts writes one. */
export function tableElement({ columns, rows }: TableData): HTMLElement {
  const classOf = (at: number) => (columns[at].align === 'right' ? 'number' : '');
  const head = columns.map(({ title }, at) => made('th', { scope: 'col', className: classOf(at) }, [title]));
  const body = rows.map((row) =>
    made(
      'tr',
      {},
      row.map((cell, at) => made('td', { className: classOf(at) }, [cell])),
    ),
  );
  const table = made('table', {}, [made('thead', {}, [made('tr', {}, head)]), made('tbody', {}, body)]);
  return made('div', { className: 'table', tabIndex: 0 }, [table]);
}

/** A table of one row as names with their values. */
export function factsElement({ columns, rows }: TableData): HTMLElement {
  const entries = columns.map(({ title }, at) =>
    made('div', {}, [made('dt', {}, [title]), made('dd', {}, [rows[0][at]])]),
  );
  return made('dl', { className: 'facts' }, entries);
}

/** Gives the reader a file to save. */
export function download(name: string, text: string, type: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = made('a', { href, download: name });
  link.click();
  // The browser has taken hold of what it saves by the next turn.
  setTimeout(() => URL.revokeObjectURL(href), 0);
}
