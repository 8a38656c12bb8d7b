// Tested by test/loopback/report-page.test.ts
/** Makes the drawings of a report charts to look into. Without it the page shows the drawings. */
import type { PageData, PageFigure } from '../report/page-data.js';
import { Picker } from './picker.js';
import { Plot } from './plot.js';

const { figures, marks } = JSON.parse(
  document.querySelector('script[type="application/json"]')?.textContent ?? '',
) as PageData;

const places = document.querySelectorAll<HTMLElement>('figure > .live');
const plots = figures.map((figure, at) => ({ figure, plot: new Plot(places[at], figure, { group: 'run', marks }) }));

figures.forEach(({ caption }, at) => {
  const text = places[at].parentElement?.querySelector('figcaption');
  if (text) text.textContent = caption;
});

for (const kind of ['flows', 'links'] as const) {
  const of = plots.filter(({ figure }) => figure.kind === kind);
  const picker = pickerOf(
    kind,
    of.map(({ figure }) => figure),
  );
  if (picker === null) continue;
  picker.onChange((names) => {
    for (const { plot } of of) plot.show(names);
  });
  document.querySelector('.pickers')?.append(picker.element);
}

/** null where there is nothing to pick from. */
function pickerOf(kind: string, figures: readonly PageFigure[]): Picker | null {
  const lines = figures.flatMap((figure) => figure.lines);
  const names = [...new Set(lines.map(({ name }) => name))];
  if (names.length < 2) return null;
  return new Picker(kind, names, new Set(lines.filter(({ isShown }) => isShown).map(({ name }) => name)));
}
