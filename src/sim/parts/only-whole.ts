// Tested by test/sim/parts/parts.test.ts
/** A world that cannot be played in parts, or whose parts cannot tell what one thread would do: it is to be played whole. */
export class OnlyWhole extends Error {
  override readonly name = 'OnlyWhole';
}

/** Another part has found that. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
