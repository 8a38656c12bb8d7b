import { expect, it } from 'vitest';
import { type Attack, type Outcome, sizeOf } from './attacks/attack.js';
import { ATTACKS } from './attacks/rows.js';
import { Wire } from './attacks/wire.js';

/** XPASS_ATTACKS=all plays the whole table, as `npm run attacks` does; XPASS_ATTACKS=words the rows whose names have these words. */
const CHOICE = process.env.XPASS_ATTACKS ?? '';
/** Attacks at a time: each waits for a process to start, and for silence at its end. */
const AT_A_TIME = 3;

/** The whole table takes half a minute on two quiet cores (ours). */
const TIMEOUT_MS = 300_000;

/** Before anything else has a socket. */
const wire = await Wire.open();
const isChosen = ({ name, isUsual }: Attack): boolean =>
  CHOICE === '' ? isUsual : CHOICE === 'all' || name.includes(CHOICE);
const chosen = ATTACKS.filter(isChosen);
/** Addresses of 127.0.0.0/8 and /proc are Linux's. */
const isPlayable = ({ isSpoofed }: Attack): boolean =>
  process.platform === 'linux' && (!isSpoofed || typeof wire !== 'string');
const playable = chosen.filter(isPlayable);

it(
  'each attack on real processes comes to nothing',
  async () => {
    const outcomes = new Map<number, Outcome>();
    const left = [...playable];
    const next = async (): Promise<void> => {
      for (let attack = left.shift(); attack !== undefined; attack = left.shift()) {
        const failed = (error: unknown): Outcome => {
          const wrong = [`it could not be played: ${(error as Error).stack}`];
          return { sentBytes: 0, drawnBytes: null, now: 'not played', wrong };
        };
        outcomes.set(attack.number, await attack.play(typeof wire === 'string' ? null : wire).catch(failed));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, next));
    process.stdout.write(`${tableOf(outcomes)}\n`);
    const wrong = [...outcomes].filter(([, outcome]) => outcome.wrong.length > 0);
    expect(Object.fromEntries(wrong.map(([number, { wrong }]) => [number, wrong]))).toEqual({});
  },
  TIMEOUT_MS,
);

it('no attack is left out', ({ skip }) => {
  expect(chosen.length).toBeGreaterThan(0);
  const names = chosen.filter((attack) => !isPlayable(attack)).map(({ name }) => name);
  skip(names.length > 0, `${wire}: ${names.join('; ')}`);
});

/** `sent`: by the attacker; `drawn`: to the address that it named as its own. */
function tableOf(outcomes: ReadonlyMap<number, Outcome>): string {
  const lines = playable.map(({ number, name, before }) => {
    const { sentBytes, drawnBytes, now } = outcomes.get(number) as Outcome;
    const drawn = drawnBytes === null ? '' : `, drew ${sizeOf(drawnBytes)}`;
    return `${String(number).padStart(2)} ${name}: sent ${sizeOf(sentBytes)}${drawn}\n   before: ${before}\n   now:    ${now}`;
  });
  return lines.join('\n');
}
