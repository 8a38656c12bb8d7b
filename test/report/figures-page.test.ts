import { describe, expect, it } from 'vitest';
import {
  type FigureRow,
  type FiguresPage,
  figuresCsv,
  figuresMarkdown,
  figuresPage,
} from '../../src/report/figures-page.js';
import type { Chart } from '../../src/report/plot/chart.js';

const ROW: FigureRow = {
  quantity: 'utilisation, 32 flows',
  paper: '0.98',
  authorsCode: '0.961',
  ours: '0.999',
  verdict: 'met',
  reason: '',
};

function chart(title: string, top: number): Chart {
  const series = ['one', 'two'].map((name) => ({ name, x: [0, 1], y: [0, top] }));
  return { kind: 'lines', title, x: { name: 'time (ms)' }, y: { name: 'queue' }, series };
}

function pageOf(rows: FigureRow[], changes: Partial<FiguresPage['figures'][number]> = {}): FiguresPage {
  const figure = {
    name: 'parking-lot',
    title: 'Parking lot',
    what: 'One.\n\nTwo <b>.',
    charts: [chart('a', 4), chart('b', 9)],
    rows,
  };
  return {
    title: 'Figures',
    intro: 'About.',
    figures: [{ ...figure, command: 'xpass figures parking-lot', ...changes }],
  };
}

describe('the page of figures', () => {
  it('has drawings, what they show, the table and the command of each figure', () => {
    const html = figuresPage(
      pageOf([ROW, { ...ROW, verdict: 'missed', reason: 'measured' }, { ...ROW, verdict: 'no claim' }]),
    );
    expect(html).toContain('<section id="parking-lot">');
    expect(html).toContain('<p>One.</p>\n<p>Two &#60;b&#62;.</p>');
    expect(html.match(/<svg [^>]*role="img"/g)).toHaveLength(2);
    expect(html).toContain(
      '<td>0.999</td><td><details><summary><span class="badge missed">missed</span></summary><p>measured</p></details></td>',
    );
    expect(html).toContain('<pre>xpass figures parking-lot</pre>');
  });

  it('has one legend for drawings of the same series', () => {
    const html = figuresPage(pageOf([ROW]));
    expect(html.match(/<ul class="legend">/g)).toHaveLength(1);
    expect(html.match(/one<\/li>/g)).toHaveLength(1);
  });

  it('says at the top, and in the contents, how many quantities have each verdict', () => {
    const html = figuresPage(
      pageOf([
        ROW,
        ...(['missed', 'outside'] as const).map((verdict) => ({ ...ROW, verdict, reason: 'measured' })),
        { ...ROW, verdict: 'no claim' },
      ]),
    );
    const counts =
      '<p class="counts"><span class="badge met">1 met</span> <span class="badge missed">1 missed</span> <span class="badge outside">1 outside</span> <span class="badge none">1 no claim</span></p>';
    expect(html).toContain(`<li><a href="#parking-lot">Parking lot</a>${counts}</li>`);
    expect(html).toContain(`<h1>Figures</h1>\n${counts}`);
    expect(figuresPage(pageOf([]))).toContain('Parking lot</a></li>');
  });

  it('has the rows at the scale of the paper under the others, with what they took', () => {
    const scaled = { runs: 2, seconds: 150, rows: [{ ...ROW, ours: '0.555' }] };
    const found = pageOf([ROW], { scaled });
    expect(figuresPage(found)).toContain('<h3>At the scale of the paper</h3>');
    expect(figuresPage(found)).toMatch(/2 runs, 3 min of one core altogether.[\s\S]*0\.555/);
    expect(figuresMarkdown(found)).toContain('### at the scale of the paper\n\n2 runs, 3 min');
    expect(figuresCsv(found)).toContain('parking-lot (at the scale of the paper),"utilisation, 32 flows"');
  });

  it('has no table for a figure without quantities', () => {
    expect(figuresPage(pageOf([]))).not.toContain('<table>');
    expect(figuresMarkdown(pageOf([]))).not.toContain('|');
  });

  it('stops on a miss without its reason, on two figures of one name and on a name that is no anchor', () => {
    const missed = pageOf([{ ...ROW, verdict: 'missed' }]);
    for (const write of [figuresPage, figuresMarkdown, figuresCsv])
      expect(() => write(missed)).toThrow('needs its reason');
    expect(() => figuresCsv(pageOf([{ ...ROW, verdict: 'outside' }]))).toThrow('needs its reason');
    const [figure] = pageOf([]).figures;
    expect(() => figuresPage({ ...missed, figures: [figure, figure] })).toThrow('one name');
    expect(() => figuresPage(pageOf([], { name: 'Parking lot' }))).toThrow('anchor');
  });
});

describe('the tables of the figures', () => {
  it('are Markdown with the same cells', () => {
    expect(figuresMarkdown(pageOf([{ ...ROW, authorsCode: null }]))).toBe(`# Figures

1 met.

About.

## Parking lot

One.

Two \\<b\\>.

1 met.

| quantity | paper | authors' code | ours | verdict | reason |
| --- | --- | --- | --- | --- | --- |
| utilisation, 32 flows | 0.98 |  | 0.999 | met |  |

\`\`\`
xpass figures parking-lot
\`\`\`
`);
  });

  it('are one CSV with the name of the figure first', () => {
    expect(figuresCsv(pageOf([{ ...ROW, paper: null }]))).toBe(
      'figure,quantity,paper,authors_code,ours,verdict,reason\nparking-lot,"utilisation, 32 flows",,0.961,0.999,met,\n',
    );
  });
});
