// Tested by test/apps/shared/run-output/result-csv.test.ts

/** One value of a CSV file; null stands for a number that there is none of. */
export type CsvValue = string | number | null;

/** A CSV file after RFC 4180, with line feeds. */
export function csvText(titles: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [titles.join(',')];
  for (const row of rows) lines.push(row.map(csvValue).join(','));
  return `${lines.join('\n')}\n`;
}

function csvValue(value: CsvValue): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
