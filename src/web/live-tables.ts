// Tested by test/loopback/live-page.test.ts
/** Tables that are told anew many times a second: cells change their text, nothing is built again. */

export interface LiveColumn<R> {
  readonly title: string;
  readonly isText?: boolean;
  cell(row: R): string;
}

export class LiveTable<R extends { readonly name: string }> {
  readonly element = document.createElement('div');
  private readonly body = document.createElement('tbody');
  private readonly columns: readonly LiveColumn<R>[];
  private readonly rows = new Map<string, HTMLTableCellElement[]>();

  constructor(caption: string, columns: readonly LiveColumn<R>[]) {
    this.columns = columns;
    const table = document.createElement('table');
    table.setAttribute('aria-label', caption);
    const head = table.createTHead().insertRow();
    for (const { title, isText } of columns) {
      const cell = document.createElement('th');
      cell.scope = 'col';
      cell.textContent = title;
      if (isText !== true) cell.className = 'number';
      head.append(cell);
    }
    table.append(this.body);
    this.element.className = 'table';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'region');
    this.element.setAttribute('aria-label', caption);
    this.element.append(table);
  }

  show(rows: readonly R[]): void {
    const names = new Set(rows.map(({ name }) => name));
    for (const [name, cells] of this.rows) {
      if (names.has(name)) continue;
      cells[0]?.parentElement?.remove();
      this.rows.delete(name);
    }
    for (const row of rows) {
      const cells = this.rows.get(row.name) ?? this.insert(row.name);
      this.columns.forEach(({ cell }, at) => {
        const text = cell(row);
        if (cells[at].textContent !== text) cells[at].textContent = text;
      });
    }
  }

  private insert(name: string): HTMLTableCellElement[] {
    const row = this.body.insertRow();
    row.dataset.name = name;
    const cells = this.columns.map(({ isText }) => {
      const cell = row.insertCell();
      if (isText !== true) cell.className = 'number';
      return cell;
    });
    this.rows.set(name, cells);
    return cells;
  }
}
