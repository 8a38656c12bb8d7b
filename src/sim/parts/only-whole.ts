// Tested by test/sim/parts/parts.test.ts
/** The world has to be played in one thread: it cannot be cut, or its parts cannot know what one thread would do. */
export class OnlyWhole extends Error {
  override readonly name = 'OnlyWhole';
}

/** Another part has thrown. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';
}
