import { describe, expect, it } from 'vitest';
import { csvText, escapeMarkdown, markdownTable } from '../../../../src/apps/shared/report/table-text.js';

describe('a Markdown table', () => {
  it('has its cells between bars, numbers to the right, and no cell that ends the row', () => {
    const columns = [{ title: 'what' }, { title: 'ours', align: 'right' as const }];
    expect(markdownTable({ columns, rows: [['a|b', '1\n2']] })).toBe('| what | ours |\n| --- | --: |\n| a\\|b | 1 2 |');
  });

  it('takes no text for markup', () => {
    expect(escapeMarkdown('*x* <b> `c` [d](e) \\')).toBe('\\*x\\* \\<b\\> \\`c\\` \\[d\\](e) \\\\');
  });
});

describe('comma-separated values', () => {
  it('quote what would be taken for structure', () => {
    expect(
      csvText(
        ['a', 'b'],
        [
          ['1,5', 'say "no"'],
          ['x\ny', 'plain'],
        ],
      ),
    ).toBe('a,b\n"1,5","say ""no"""\n"x\ny",plain\n');
  });
});
