import { describe, expect, it } from 'vitest';
import { flowingLines, type SenderState, senderLines } from '../../../src/apps/demo/layout.js';

function senders(count: number): SenderState[] {
  return Array.from({ length: count }, (_, index) => ({
    name: String(index + 1),
    rate: '10.88 Mbit/s',
    done: '55.55 %',
    part: 0.5555,
  }));
}

/** Names of the senders that are shown. */
function shown(lines: readonly string[]): string[] {
  const names = lines.join('\n').match(/(?<![\d.])\d+(?= +(?:10\.88|55 %))/g) ?? [];
  return names.sort((one, other) => Number(one) - Number(other));
}

describe('the senders of a live table', () => {
  it('stand one below the other, with bars, where there is room', () => {
    const lines = senderLines(senders(4), { columns: 60, rows: 8 });
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe('1       10.88 Mbit/s  55.55 %  [#############-----------]');
  });

  it.each([
    [1, 60, 5],
    [4, 60, 8],
    [4, 200, 46],
    [24, 80, 16],
    [24, 60, 8],
    [24, 200, 46],
    [64, 80, 20],
    [64, 200, 8],
  ])('are all shown: %i of them on %i columns and %i rows', (count, columns, rows) => {
    const lines = senderLines(senders(count), { columns, rows });
    expect(shown(lines)).toEqual(senders(count).map(({ name }) => name));
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it.each([
    [64, 60, 8],
    [24, 20, 5],
    [4, 10, 1],
  ])('are counted where they do not fit: %i of them on %i columns and %i rows', (count, columns, rows) => {
    const lines = senderLines(senders(count), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    const missing = count - shown(lines).length;
    expect(lines.at(-1)).toBe(missing === count ? `${count} senders` : `and ${missing} more`);
  });
});

describe('words side by side', () => {
  it('take as many lines as they need', () => {
    expect(flowingLines(['Jain 0.999', 'link 98 % full', 'queue 3 frames'], 30)).toEqual([
      'Jain 0.999   link 98 % full',
      'queue 3 frames',
    ]);
    expect(flowingLines(['too long for it'], 5)).toEqual(['too long for it']);
  });
});
