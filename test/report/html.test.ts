import { describe, expect, it } from 'vitest';
import { escapeHtml, figure, htmlTable, page, paragraph } from '../../src/report/html.js';

const HOSTILE = `<script>alert("1")</script> & '`;

describe('a page', () => {
  it('shows any text as text', () => {
    const whole = page(
      HOSTILE,
      [
        paragraph(HOSTILE),
        figure('<svg></svg>', HOSTILE),
        htmlTable({ columns: [{ title: HOSTILE }], rows: [[HOSTILE]] }),
      ].join(''),
    );
    expect(whole).not.toContain('<script');
    expect(whole.split(escapeHtml(HOSTILE))).toHaveLength(7);
  });

  it('asks for nothing from elsewhere, and forbids it', () => {
    const whole = page('a', paragraph('b'));
    expect(whole).toContain(`default-src 'none'`);
    expect(whole).not.toMatch(/https?:|src=|href=|url\(|@import/);
  });
});

describe('a table', () => {
  it('has numbers at the right, in the head as in the rows', () => {
    const table = htmlTable({
      columns: [{ title: 'link' }, { title: 'rate', align: 'right' }],
      rows: [['a->b', '10']],
    });
    expect(table).toContain('<th>link</th><th class="number">rate</th>');
    expect(table).toContain('<td>a-&#62;b</td><td class="number">10</td>');
  });
});
