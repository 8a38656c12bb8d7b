// Tested by test/apps/shared/scenario/parse-scenario.test.ts

/** Keys and list indices from the top of a scenario document down to a value. */
export type Path = readonly (string | number)[];

/** What is wrong at one place of a scenario document. `predicate` follows the place's name: `is 'h9'; allowed: h1, h2`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** What to look for in the file. */
  readonly place: Path;

  /** `path` names the value in the sentence. */
  constructor(path: Path, predicate: string, place: Path = path) {
    super(`${pathText(path)} ${predicate}`);
    this.place = place;
  }
}

/** A path as people write it, in `--set` and in errors: `hosts.0.parameters.initial_rate`. */
export function pathText(path: Path): string {
  return path.length === 0 ? 'the scenario' : path.join('.');
}
