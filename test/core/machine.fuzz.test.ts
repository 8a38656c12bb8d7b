import { describe, expect, it } from 'vitest';
import { FuzzMachine } from '../harness/fuzz-machine.js';
import { checkStreams } from '../harness/invariants.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../harness/seeds.js';

allowLongRuns();

/** Inputs to one pair of endpoints before their network is mended and everything has to come to an end. */
const GAME_INPUTS = 2_000;
/** In a usual run, and at most: XPASS_TEST_RUNS=10 or more gives the latter. */
const INPUTS = 100_000;
const MAX_INPUTS = 1_000_000;

const GAMES = Math.min(scaledRuns(INPUTS), MAX_INPUTS) / GAME_INPUTS;
/** A usual run takes some seconds, a million inputs half a minute or more. */
const TIMEOUT_MS = 900_000;

/** Names the game in what goes wrong in it. */
function inGame(seed: number, play: () => void): void {
  try {
    play();
  } catch (error) {
    throw new Error(`in the game with seed ${seed} (XPASS_TEST_SEED=${TEST_SEED})`, { cause: error });
  }
}

function play(machine: FuzzMachine): void {
  for (let input = 0; input < GAME_INPUTS; input++) machine.step();
}

describe('two endpoints under random inputs', () => {
  it(
    'deliver every byte once and in order, keep all their books, and close every flow once the network works',
    () => {
      let inOrder = 0;
      let sharedFrames = 0;
      for (let game = 0; game < Math.ceil(GAMES * 0.8); game++) {
        inGame(TEST_SEED + game, () => {
          const machine = new FuzzMachine(TEST_SEED + game, true);
          play(machine);
          const { idleTimeoutNs, lingerNs } = machine.endpoints[0].config;
          machine.finish((idleTimeoutNs + lingerNs) / 1e9);
          sharedFrames += machine.sharedFrames;
          expect(machine.endpoints.map((endpoint) => endpoint.flowCount)).toEqual([0, 0]);
          const [first, second] = machine.applications;
          checkStreams(first, second);
          checkStreams(second, first);
          for (const { readers, writers } of machine.applications) {
            for (const { life } of [...readers, ...writers]) expect(life.closed).toBeDefined();
            inOrder += writers.filter(({ life }) => life.closed === null).length;
          }
        });
      }
      // Or the games would only show that nothing happens to flows that fail at once.
      expect(inOrder).toBeGreaterThan(GAMES);
      expect(sharedFrames).toBeGreaterThan(GAMES);
    },
    TIMEOUT_MS,
  );

  it(
    'stop for nothing that a hostile network makes up, and hold nothing when the flows are reset in the end',
    () => {
      for (let game = 0; game < Math.ceil(GAMES * 0.2); game++) {
        inGame(TEST_SEED + game, () => {
          const machine = new FuzzMachine(TEST_SEED + game, false);
          play(machine);
          machine.finish(12);
          for (const endpoint of machine.endpoints) endpoint.closeAll(machine.nowNs);
          machine.finish(12);
          for (const endpoint of machine.endpoints) {
            expect([endpoint.flowCount, endpoint.nextTimeout()]).toEqual([0, Number.POSITIVE_INFINITY]);
          }
        });
      }
    },
    TIMEOUT_MS,
  );
});
