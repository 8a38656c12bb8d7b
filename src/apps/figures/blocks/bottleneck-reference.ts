// Tested by test/apps/figures/golden.test.ts
/**
 * What the authors' public ns-2 code of ExpressPass gives on one bottleneck of 10 Gbit/s with endless flows: built and run by us, on the scenario of blocks/dumbbell.ts.
 * By number of flows.
 */
export interface BottleneckReference {
  readonly utilisation: number;
  readonly jain1ms: number;
  readonly jain10ms: number;
  readonly queueBytes: number;
  readonly dropped: number;
  /** The listing of the 2017 paper put into their code word for word: utilisation and Jain over 1 ms. */
  readonly literal: readonly [utilisation: number, jain1ms: number];
  /** No feedback; not measured beyond 32 flows. */
  readonly naive: readonly [utilisation: number, jain1ms: number] | null;
}

type Row = readonly [...code: [number, number, number, number, number], literal: readonly [number, number]];

const CODE: Readonly<Record<number, Row>> = {
  2: [1.002, 0.998, 1.0, 1_538, 0.07, [0.93, 0.987]],
  4: [1.001, 0.911, 0.959, 3_076, 0.14, [0.852, 0.936]],
  8: [0.993, 0.824, 0.929, 3_076, 0.23, [0.787, 0.879]],
  16: [0.97, 0.778, 0.941, 3_076, 0.36, [0.778, 0.777]],
  32: [0.961, 0.764, 0.953, 3_076, 0.49, [0.853, 0.741]],
  64: [1.005, 0.715, 0.953, 5_208, 0.54, [0.983, 0.687]],
  128: [1.009, 0.653, 0.941, 10_584, 0.61, [1.011, 0.409]],
  256: [1.013, 0.679, 0.948, 21_336, 0.77, [1.013, 0.427]],
};

const NAIVE: Readonly<Record<number, readonly [number, number]>> = {
  2: [1.01, 0.993],
  4: [1.014, 0.984],
  8: [1.015, 0.969],
  16: [1.016, 0.953],
  32: [1.016, 0.933],
};

/** Of 2, 4, 8, ... 256 flows. */
export function bottleneckReference(flows: number): BottleneckReference {
  const [utilisation, jain1ms, jain10ms, queueBytes, dropped, literal] = CODE[flows];
  return { utilisation, jain1ms, jain10ms, queueBytes, dropped, literal, naive: NAIVE[flows] ?? null };
}
