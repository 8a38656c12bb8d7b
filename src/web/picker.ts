// Tested by test/loopback/report-page.test.ts
/** A list of names with a box for each, and a field that looks for some: what the reader wants to see of many flows or ports. */

/** More lines in one chart cannot be told apart (report/plot/style.ts). */
const MAX_PICKED = 28;

export class Picker {
  readonly element: HTMLDetailsElement;
  private readonly boxes: readonly HTMLInputElement[];
  private readonly heading = document.createElement('summary');
  private readonly what: string;

  /** `names` in the order of the list; `picked` are those at first. */
  constructor(what: string, names: readonly string[], picked: ReadonlySet<string>) {
    this.what = what;
    this.element = document.createElement('details');
    this.element.className = 'picker';
    this.boxes = names.map((name) => boxOf(name, picked.has(name)));
    const list = document.createElement('div');
    list.className = 'names';
    list.append(...this.boxes.map(labelOf));
    this.element.append(this.heading, this.search(list), list);
    this.say();
  }

  get picked(): Set<string> {
    return new Set(this.boxes.filter(({ checked }) => checked).map(({ value }) => value));
  }

  onChange(hear: (picked: Set<string>) => void): void {
    this.element.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'checkbox') return;
      if (target.checked && this.picked.size > MAX_PICKED) target.checked = false;
      this.say();
      hear(this.picked);
    });
  }

  private say(): void {
    const { size } = this.picked;
    const limit = size === MAX_PICKED ? ', the most that can be told apart' : '';
    this.heading.textContent = `${this.what}: ${size} of ${this.boxes.length} shown${limit}`;
  }

  private search(list: HTMLElement): HTMLInputElement {
    const field = document.createElement('input');
    field.type = 'search';
    field.placeholder = 'h1->h3';
    field.setAttribute('aria-label', `Look for ${this.what}`);
    field.addEventListener('input', () => {
      const wanted = field.value.toLowerCase();
      for (const label of list.children)
        (label as HTMLElement).hidden = !(label.textContent ?? '').toLowerCase().includes(wanted);
    });
    return field;
  }
}

function boxOf(value: string, checked: boolean): HTMLInputElement {
  const box = document.createElement('input');
  Object.assign(box, { type: 'checkbox', value, checked });
  return box;
}

function labelOf(box: HTMLInputElement): HTMLLabelElement {
  const label = document.createElement('label');
  label.append(box, ` ${box.value}`);
  return label;
}
