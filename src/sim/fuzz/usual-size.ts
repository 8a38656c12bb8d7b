// Tested by test/sim/fuzz/sim.fuzz.test.ts

/** Full frames of all flows of a random world together by default: at eight events a frame, some milliseconds of work (ours). */
export const USUAL_FRAMES = 250;
