import { describe, expect, it } from 'vitest';
import {
  type FigureRow,
  type FiguresPage,
  figuresCsv,
  figuresMarkdown,
  figuresPage,
} from '../../src/report/figures-page.js';

const ROW: FigureRow = {
  quantity: 'utilisation, 32 flows',
  paper: '0.98',
  authorsCode: '0.961',
  ours: '0.999',
  verdict: 'met',
  reason: '',
};

function pageOf(rows: FigureRow[], changes: Partial<FiguresPage['figures'][number]> = {}): FiguresPage {
  const figure = {
    name: 'parking-lot',
    title: 'Parking lot',
    what: 'One.\n\nTwo <b>.',
    svgs: ['<svg>1</svg>', '<svg>2</svg>'],
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
    expect(html).toContain('<svg>1</svg>');
    expect(html).toContain('<svg>2</svg>');
    expect(html).toContain('<td>0.961</td><td>0.999</td><td>missed</td><td>measured</td>');
    expect(html).toContain('<pre>xpass figures parking-lot</pre>');
  });

  it('says at the top how many of the claims of each figure are met', () => {
    const html = figuresPage(
      pageOf([ROW, { ...ROW, verdict: 'missed', reason: 'measured' }, { ...ROW, verdict: 'no claim' }]),
    );
    expect(html).toContain('<li><a href="#parking-lot">Parking lot</a>: 1 of 2 met</li>');
    expect(figuresPage(pageOf([{ ...ROW, verdict: 'no claim' }]))).toContain('Parking lot</a></li>');
  });

  it('has no table for a figure without quantities', () => {
    expect(figuresPage(pageOf([]))).not.toContain('<table>');
    expect(figuresMarkdown(pageOf([]))).not.toContain('|');
  });

  it('stops on a miss without its reason, on two figures of one name and on a name that is no anchor', () => {
    const missed = pageOf([{ ...ROW, verdict: 'missed' }]);
    for (const write of [figuresPage, figuresMarkdown, figuresCsv])
      expect(() => write(missed)).toThrow('needs its reason');
    const [figure] = pageOf([]).figures;
    expect(() => figuresPage({ ...missed, figures: [figure, figure] })).toThrow('one name');
    expect(() => figuresPage(pageOf([], { name: 'Parking lot' }))).toThrow('anchor');
  });
});

describe('the tables of the figures', () => {
  it('are Markdown with the same cells', () => {
    expect(figuresMarkdown(pageOf([{ ...ROW, authorsCode: null }]))).toBe(`# Figures

About.

## Parking lot

One.

Two \\<b\\>.

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
