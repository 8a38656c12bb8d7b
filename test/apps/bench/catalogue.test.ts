import { describe, expect, it } from 'vitest';
import { BENCHMARKS, inTurns, selectBenchmarks } from '../../../src/apps/bench/catalogue.js';

function selected(...names: string[]): string[] {
  return selectBenchmarks(names).map(({ name }) => name);
}

const LOOPBACK = ['direct', 'switch'].flatMap((path) => [
  ...['1472', '8972'].flatMap((payload) => [
    ...['1', '16', '256'].map((flows) => `${path}/${payload}/${flows}`),
    ...['1', '16'].map((flows) => `${path}-mmsg/${payload}/${flows}`),
    `${path}/${payload}/check`,
  ]),
  `${path}/60000/1`,
  `${path}/60000/check`,
]);
const SIZES = ['1KiB', '4KiB', '16KiB', '64KiB'];
const MESSAGES = [
  ...SIZES.map((size) => `message/${size}`),
  ...SIZES.map((size) => `open-message/${size}`),
  'openings',
];
const PACING = ['pacing/1000', 'pacing/10000', 'pacing/50000'];
const MEMORY = ['flows/10', 'flows/1000', 'flows/10000', 'heap'];
const PEERS = ['peers/tcp/1472', 'peers/tcp/60000', 'peers/utp/1472', 'peers/quic/1472', 'peers/iperf3/60000'];
const SEALED = ['sealed/1472', 'sealed-mmsg/1472', 'sealed/8972', 'sealed-mmsg/8972'];
const SEALING = ['sealing/credit', 'sealing/1472', 'sealing/8972', ...SEALED];
const HANDSHAKES = ['handshakes/none', 'handshakes/secret', 'handshakes/identities'];
const DEMO = ['demo/4', 'demo/8', 'demo/16'];
const SIM = [
  'sim/dumbbell/2/1s',
  'sim/dumbbell/64/1s',
  'sim/dumbbell/1024/60ms',
  'sim/fat-tree/10000',
  'sim/shuffle/99840',
  'sim/fat-tree-threads/2',
];

const STREAMS = ['stream/1472', 'stream/8972', 'stream/ping', 'stream/16KiB', 'stream/open'];
const LOADED = ['loaded', 'loaded/speculative'];
const CAPTURE = ['capture/headers', 'capture/whole'];
const WEB = ['web'];

const QUICK = [
  ...LOOPBACK,
  ...MESSAGES,
  ...STREAMS,
  ...LOADED,
  ...CAPTURE,
  ...WEB,
  ...PACING,
  ...MEMORY,
  ...SEALING,
  ...HANDSHAKES,
  ...PEERS,
];
const QUEUE = ['queue/short', 'queue/long'];
const SLOW = ['parking-lot/naive', 'parking-lot/steady', ...DEMO, 'joining', ...SIM, ...QUEUE];

describe('the benchmarks', () => {
  it('have names of their own', () => {
    const names = BENCHMARKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    [[], [...QUICK, ...SLOW]],
    [['messages'], MESSAGES],
    [['streams'], STREAMS],
    [['message'], MESSAGES.slice(0, 4)],
    [['peers/tcp'], PEERS.slice(0, 2)],
    [['flows'], MEMORY.slice(0, 3)],
    [['sealing'], SEALING],
    [['handshakes'], HANDSHAKES],
    [['sealed'], ['sealed/1472', 'sealed/8972']],
    [['sim'], SIM],
    [['queue'], QUEUE],
    [['sim/dumbbell/2'], ['sim/dumbbell/2/1s']],
    [['sim/dumbbell/2/10ms'], ['sim/dumbbell/2/10ms']],
    [['demo'], DEMO],
    [['demo/8'], ['demo/8']],
    [['loopback'], LOOPBACK],
    [['direct/1472/1'], ['direct/1472/1']],
    [['loopback/direct/1472/1'], ['direct/1472/1']],
    [['switch/8972'], ['switch/8972/1', 'switch/8972/16', 'switch/8972/256', 'switch/8972/check']],
    [['loopback/switch/8972/1'], ['switch/8972/1']],
    [['direct/60000'], ['direct/60000/1', 'direct/60000/check']],
    [['switch/1472/256'], ['switch/1472/256']],
    [['switch-mmsg'], ['switch-mmsg/1472/1', 'switch-mmsg/1472/16', 'switch-mmsg/8972/1', 'switch-mmsg/8972/16']],
    [['direct-mmsg/1472/256'], ['direct-mmsg/1472/256']],
    [['direct-mmsg/60000/1'], ['direct-mmsg/60000/1']],
    [['switch/60000/256'], ['switch/60000/256']],
    [['pacing'], PACING],
    [['pacing/20000'], ['pacing/20000']],
    [
      ['pacing/50000', 'pacing/1000'],
      ['pacing/1000', 'pacing/50000'],
    ],
    [
      ['parking-lot', 'direct/1472/16'],
      ['direct/1472/16', 'parking-lot/naive', 'parking-lot/steady'],
    ],
    [['direct', 'direct/1472'], LOOPBACK.filter((name) => name.startsWith('direct/'))],
  ])('that %j means', (names, expected) => {
    expect(selected(...names)).toEqual(expected);
  });

  it.each(['nothing', 'direct/14', 'direct/1472/1/', 'loopbac', '', 'pacing/30000', '1472'])(
    "are not what '%s' means",
    (name) => {
      expect(() => selected('direct', name)).toThrow(`unknown benchmark '${name}'`);
    },
  );

  it('are only the short ones for a quick look, but for those that are asked for', () => {
    expect(selectBenchmarks([], { quick: true }).map(({ name }) => name)).toEqual(QUICK);
    expect(selectBenchmarks(['joining'], { quick: true })).toHaveLength(1);
  });

  it('of one round are together, and the others by themselves', () => {
    const turns = inTurns(selectBenchmarks(['direct/1472', 'direct-mmsg/1472', 'direct/8972/1', 'messages', 'loaded']));
    expect(turns.map((together) => together.map(({ name }) => name))).toEqual([
      LOOPBACK.slice(0, 6),
      ['direct/8972/1'],
      ...MESSAGES.map((name) => [name]),
      LOADED,
    ]);
  });

  it('are listed for a name that means nothing', () => {
    expect(() => selected('parking-lots')).toThrow(
      /did you mean 'parking-lot'\?; allowed: the groups loopback, messages, streams, loaded, capture, web, pacing, .* direct\/1472\/1, /,
    );
  });
});
