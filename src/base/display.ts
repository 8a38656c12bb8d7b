/** Numbers as they stand in tables and summaries: four digits and a unit. For exact spellings see quantities.ts. */

const RATE_UNITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'];
const SIZE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const DURATION_UNITS = ['ns', 'us', 'ms', 's'];

/** `94.82 Mbit/s`, `unlimited`. */
export function displayRate(rateBps: number): string {
  return rateBps === Number.POSITIVE_INFINITY ? 'unlimited' : scaled(rateBps, RATE_UNITS, 1000);
}

/** `16.00 MiB`, `1.465 KiB`, `92 B`. */
export function displaySize(bytes: number): string {
  return scaled(bytes, SIZE_UNITS, 1024);
}

/** `131.2 us`, `12.50 s`; from a minute on `2:05`, from an hour on `1:02:05`. */
export function displayDuration(durationNs: number): string {
  const seconds = Math.round(durationNs / 1e9);
  return seconds < 60 || !Number.isFinite(seconds) ? scaled(durationNs, DURATION_UNITS, 1000) : clock(seconds);
}

/** `94.82 %` of 0.9482. */
export function displayPercent(part: number): string {
  return Number.isFinite(part) ? `${digits(part * 100)} %` : '-';
}

/** `1,234,567`. */
export function displayCount(count: number): string {
  return Number.isFinite(count) ? String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',') : '-';
}

/** A dash where there is no number to show: a rate before the first interval, an ETA of a stalled flow. */
function scaled(value: number, units: readonly string[], base: number): string {
  if (!Number.isFinite(value)) return '-';
  let at = 0;
  // 999.95 would be written as 1000.0: the next unit says it better.
  while (at < units.length - 1 && Math.abs(value) >= base - 0.05) {
    value /= base;
    at++;
  }
  return `${at === 0 && Number.isInteger(value) ? value : digits(value)} ${units[at]}`;
}

/** Four digits in all. */
function digits(value: number): string {
  const size = Math.abs(value);
  const decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
  return value.toFixed(decimals);
}

function clock(seconds: number): string {
  const pair = (number: number): string => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pair(minutes)}:${pair(seconds % 60)}` : `${minutes}:${pair(seconds % 60)}`;
}

/** Text that came from somebody else, safe to show: characters that could move the cursor or hide others stand as escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
