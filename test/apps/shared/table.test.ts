import { describe, expect, it } from 'vitest';
import { tableLines } from '../../../src/apps/shared/table.js';

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

  it('may have no rows', () => {
    expect(tableLines([{ title: 'a' }], [])).toEqual(['a']);
  });
});
