// Tested by test/sim/fuzz/planted-bugs.test.ts

/** Something that holds in every world was broken. `check` names it and stays the same when the scenario gets smaller; the message has the figures. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly check: string;

  constructor(check: string, sentence: string) {
    super(sentence);
    this.check = check;
  }
}

export function fail(check: string, sentence: string): never {
  throw new Violation(check, sentence);
}
