// Tested by test/loopback/playground.test.ts
/** The form of a scenario: what it shows follows from the text, and what is changed in it goes into the text. */
import { made } from './elements.js';
import type { FormField, FormGroup } from './scenario-document.js';

/** Suggestions that a browser still shows at once (ours). */
const MAX_SUGGESTED = 500;

export class Form {
  private readonly target: HTMLElement;
  private readonly links = made('datalist', { id: 'links' });
  private fields = '';

  /** `onChange` gets the name of a field and its value. */
  constructor(target: HTMLElement, onChange: (name: string, value: string) => void) {
    this.target = target;
    target.addEventListener('change', ({ target: changed }) => {
      if (changed instanceof HTMLInputElement || changed instanceof HTMLSelectElement)
        onChange(changed.name, changed.value.trim());
    });
  }

  /** null: the text has no fields now. */
  show(groups: readonly FormGroup[] | null): void {
    if (groups === null) {
      for (const each of this.target.querySelectorAll('fieldset')) each.disabled = true;
      return;
    }
    // Fields that stay keep the focus.
    const fields = JSON.stringify(groups.map((group) => group.fields.map(({ name, choices }) => [name, choices])));
    if (fields !== this.fields) this.target.replaceChildren(this.links, ...groups.map(fieldset));
    this.fields = fields;
    for (const each of this.target.querySelectorAll('fieldset')) each.disabled = false;
    for (const { name, value } of groups.flatMap((group) => group.fields)) {
      const input = this.target.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${CSS.escape(name)}"]`);
      if (input !== null && input.value !== value) input.value = value;
    }
  }

  suggestLinks(names: readonly string[]): void {
    this.links.replaceChildren(...names.slice(0, MAX_SUGGESTED).map((value) => made('option', { value })));
  }
}

function fieldset({ title, fields }: FormGroup): HTMLElement {
  return made('fieldset', {}, [made('legend', {}, [title]), ...fields.map(labelled)]);
}

function labelled(field: FormField): HTMLElement {
  return made('label', {}, [made('span', {}, [field.label]), inputOf(field)]);
}

function inputOf({ name, choices, fallback, suggests }: FormField): HTMLElement {
  if (choices !== undefined) {
    const options = choices.map((choice) => made('option', { value: choice }, [choice]));
    return made('select', { name }, options);
  }
  const input = made('input', { name, placeholder: fallback, autocomplete: 'off', spellcheck: false });
  if (suggests !== undefined) input.setAttribute('list', suggests);
  return input;
}
