import { SeededRandom } from '../../../src/base/random.js';
import { parseTopologyFile } from '../../../src/scenario/topology-file.js';
import { Fabric } from '../../../src/switch/fabric.js';
import { FramePool } from '../../../src/wire/frame.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';
import { taken } from './config-error.js';

const SAMPLES = [
  'hosts: [{id: 1}, {id: 2}]\nswitches: [{name: s1}]\nlinks: [{a: h1, b: s1}, {a: h2, b: s1, rate: 10mbit, delay: 1ms}]\n',
  'hosts:\n  - {id: 7, name: x}\nswitches: [{name: s1}, {name: s2}]\nlinks:\n  - {a: x, b: s1, loss: 1%}\n  - {a: s1, b: s2}\ndefaults: {rate: 1gbit}\n',
  'hosts: [{id: 1}]\nswitches: [{name: s1}]\nlinks: [{a: h1, b: s1}]\nspread: path\nfailoverDelay: 1ms\n' +
    'trunks: [{name: t, switch: s1, listen: ":7001", to: "127.0.0.1:7002", hosts: [9]}]\n',
];
/** Fabrics that are built to the end: larger ones take longer than they tell. */
const MOST_BUILT = 40;

/** Text of a topology file: a topology of which a fabric can be built, or a sentence that names the line. */
export const topology: Target = {
  name: 'topology',
  seeds: () => SAMPLES.map(bytesOf),
  words: [
    'hosts:',
    'switches:',
    'links:',
    'trunks:',
    'defaults:',
    'spread:',
    'path',
    'flow',
    'rate:',
    'delay:',
    'loss:',
    'a:',
    'b:',
    'name:',
    'id:',
    'h1',
    's1',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '\n  - ',
    '&a',
    '*a',
    '1e9',
    '65535',
    '100mbit',
    '20us',
    '__proto__',
  ],
  maxBytes: 2_048,
  run: async (input) => {
    const made = await taken(() => parseTopologyFile('fuzz.yaml', textOf(input)));
    if (made === null) return;
    const { topology: graph, trunks } = made;
    must(new Set(graph.hosts.map(({ id }) => id)).size === graph.hosts.length, 'ids of hosts are their own');
    must(trunks.length === graph.trunks.length, 'each trunk has its addresses');
    const parts = graph.hosts.length + graph.switches.length + graph.links.length;
    if (parts > MOST_BUILT) return;
    const pool = new FramePool(() => new Uint8Array(64), 1);
    const fabric = new Fabric({ topology: graph, random: new SeededRandom(1), pool, earlyNs: 0 });
    must(fabric.nextTimeout() === Number.POSITIVE_INFINITY, 'a new fabric has nothing to do');
  },
};
