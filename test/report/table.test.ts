import { describe, expect, it } from 'vitest';
import { csvText, escapeMarkdown, foldedTableLines, markdownTable, tableLines } from '../../src/report/table.js';

describe('a table', () => {
  it('has its columns one below the other, numbers to the right', () => {
    const lines = tableLines(
      [{ title: 'flow' }, { title: 'rate', align: 'right' }, { title: 'note' }],
      [
        ['1', '9.5 Mbit/s', 'ok'],
        ['sender-12', '100 Mbit/s'],
      ],
    );
    expect(lines).toEqual(['flow             rate  note', '1          9.5 Mbit/s  ok', 'sender-12  100 Mbit/s']);
  });

  it('gives colours no width', () => {
    const red = '\u001b[31mno\u001b[39m';
    expect(tableLines([{ title: 'a', align: 'right' }, { title: 'b' }], [[red, 'x']])).toEqual([' a  b', `${red}  x`]);
  });

  it('folds to fit a terminal: each block begins with what tells the rows apart', () => {
    const columns = [{ title: 'link' }, ...['a', 'bb', 'c'].map((title) => ({ title, align: 'right' as const }))];
    const rows = [
      ['l1', '1', '20', '3'],
      ['l2', '4', '5', '600'],
    ];
    const whole = ['link  a  bb    c', 'l1    1  20    3', 'l2    4   5  600'];
    expect(foldedTableLines(columns, rows, Number.POSITIVE_INFINITY)).toEqual(whole);
    expect(foldedTableLines(columns, rows, 16)).toEqual(whole);
    const two = ['link  a  bb', 'l1    1  20', 'l2    4   5', '', 'link    c', 'l1      3', 'l2    600'];
    expect(foldedTableLines(columns, rows, 15)).toEqual(two);
    expect(foldedTableLines(columns, rows, 12, 2)).toEqual([
      'link  a  bb',
      'l1    1  20',
      'l2    4   5',
      '',
      'link  a    c',
      'l1    1    3',
      'l2    4  600',
    ]);
    // Narrower than a key and one column: each column by itself, cut by nobody.
    expect(foldedTableLines(columns, rows, 1)).toHaveLength(3 * 3 + 2);
  });

  it('may have no rows', () => {
    expect(tableLines([{ title: 'a' }], [])).toEqual(['a']);
  });
});

describe('a Markdown table', () => {
  it('has its cells between bars, numbers to the right, and no cell that ends the row', () => {
    const columns = [{ title: 'what' }, { title: 'ours', align: 'right' as const }];
    expect(markdownTable({ columns, rows: [['a|b', '1\n2']] })).toBe('| what | ours |\n| --- | --: |\n| a\\|b | 1 2 |');
  });

  it('takes no text for markup', () => {
    expect(escapeMarkdown('*x* <b> `c` [d](e) \\')).toBe('\\*x\\* \\<b\\> \\`c\\` \\[d\\](e) \\\\');
  });
});

it('quotes in CSV what would be taken for structure', () => {
  const rows = [
    ['1,5', 'say "no"'],
    ['x\ny', null],
    [0, ''],
  ];
  expect(csvText(['a', 'b'], rows)).toBe('a,b\n"1,5","say ""no"""\n"x\ny",\n0,\n');
});
