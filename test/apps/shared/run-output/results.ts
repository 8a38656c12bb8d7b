import type { SimulationResult, SimulationRun } from '../../../../src/sim/result.js';

/** A result in which every number is another one. */
export const RESULT: SimulationResult = {
  scenario: 'lab',
  seed: 7,
  algorithm: 'steady',
  durationNs: 2e9,
  measuredNs: 1.5e9,
  flows: [
    {
      id: 0,
      group: 'web, "hot"',
      src: 'h1',
      dst: 'h3',
      bytes: 1500,
      startNs: 1e6,
      fctNs: 250_000,
      slowdown: 1.25,
      goodputBps: 48e6,
      deliveredBytes: 1500,
      credits: { sent: 10, used: 6, wasted: 3, dropped: 1 },
      error: null,
    },
    {
      id: 1,
      group: 'long',
      src: 'h2',
      dst: 'h4',
      bytes: null,
      startNs: 0,
      fctNs: null,
      slowdown: null,
      goodputBps: 9e9,
      deliveredBytes: 77,
      credits: { sent: 20, used: 12, wasted: 0, dropped: 8 },
      error: 'idle',
    },
  ],
  links: [
    {
      name: 'left->right',
      rateBps: 1e10,
      utilisation: 0.987654,
      dataQueueBytesMaxEver: 4614,
      dataQueueBytesMax: 3076,
      dataQueueBytesMean: 12.5,
      creditsOffered: 100,
      creditDrops: 5,
      dataDrops: 2,
      lost: 3,
      ecnMarks: 4,
    },
    {
      name: 'right->left',
      rateBps: null,
      utilisation: 0,
      dataQueueBytesMaxEver: 90,
      dataQueueBytesMax: 80,
      dataQueueBytesMean: 0,
      creditsOffered: 0,
      creditDrops: 0,
      dataDrops: 1,
      lost: 0,
      ecnMarks: 0,
    },
  ],
  jain: 0.95,
  jainByWindow: [
    { windowNs: 1e6, jain: 0.95 },
    { windowNs: 1e7, jain: null },
  ],
  utilisation: 0.987654,
  creditDropShare: 0.3,
  disorder: null,
  fct: { all: { count: 1, meanNs: 250_000, p50Ns: 240_000, p99Ns: 260_000, maxNs: 270_000, slowdownP99: null } },
  events: 123_456,
};

export const RUN: SimulationRun = {
  result: RESULT,
  series: {
    intervalNs: 1e9,
    timesNs: Float64Array.of(1e9, 2e9),
    flows: [
      {
        id: 1,
        group: 'long',
        label: 'h2->h4',
        goodputBps: Float64Array.of(1e6, 2e6),
        creditRateBps: Float64Array.of(Number.NaN, 3e6),
      },
    ],
    links: [
      {
        name: 'left->right',
        rateBps: 1e10,
        dataQueueBytes: Float64Array.of(1538, 0),
        creditQueueFrames: Float64Array.of(8, 7),
        utilisation: Float64Array.of(0.5, 0.25),
      },
    ],
  },
};
