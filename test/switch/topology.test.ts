import { describe, expect, it } from 'vitest';
import { DEFAULT_PORT } from '../../src/switch/port.js';
import { checkTopology, type TopologyDraft } from '../../src/switch/topology.js';
import { refusal } from '../harness/refusal.js';

function twoHosts() {
  return {
    hosts: [{ id: 1 }, { id: 2, name: 'bob' }],
    switches: [{ name: 's1' }],
    links: [
      { name: 'l1', a: 'h1', b: 's1' },
      { a: 's1', b: 'bob' },
    ],
  };
}

function message(draft: TopologyDraft): string {
  return refusal(() => checkTopology(draft));
}

describe('a topology', () => {
  it('gets names and settings where it gives none', () => {
    const topology = checkTopology(twoHosts());
    expect(topology.hosts).toEqual([
      { id: 1, name: 'h1' },
      { id: 2, name: 'bob' },
    ]);
    expect(topology.links).toEqual([
      { name: 'l1', a: 'h1', b: 's1', port: DEFAULT_PORT, impairment: {} },
      { name: 'l2', a: 's1', b: 'bob', port: DEFAULT_PORT, impairment: {} },
    ]);
    expect(topology.trunks).toEqual([]);
    expect(topology).toMatchObject({ spread: 'path', failoverDelayNs: 10e6 });
  });

  it('takes settings for all links and others for one', () => {
    const draft = twoHosts();
    const topology = checkTopology({
      ...draft,
      defaults: { rateBps: 1e9, lossRate: 0.01 },
      links: [draft.links[0], { ...draft.links[1], rateBps: 1e8, delayNs: 5000 }],
    });
    expect(topology.links.map(({ port }) => port.rateBps)).toEqual([1e9, 1e8]);
    expect(topology.links.map(({ port }) => port.delayNs)).toEqual([0, 5000]);
    expect(topology.links.map(({ impairment }) => impairment.lossRate)).toEqual([0.01, 0.01]);
  });

  it('gives jumbo links a data queue of 250 of their frames', () => {
    const topology = checkTopology({ ...twoHosts(), defaults: { maxFrameBytes: 8972 } });
    expect(topology.links[0].port.dataQueueBytes).toBe(250 * (8972 + 66));
  });

  it('takes trunks to hosts that it does not have itself', () => {
    const trunk = { name: 't1', switch: 's1', address: '127.0.0.1:9000', hosts: [10, 11], rateBps: 1e9 };
    expect(checkTopology({ ...twoHosts(), trunks: [trunk] }).trunks).toEqual([
      {
        name: 't1',
        switch: 's1',
        address: '127.0.0.1:9000',
        hosts: [10, 11],
        port: { ...DEFAULT_PORT, rateBps: 1e9 },
        impairment: {},
      },
    ]);
  });

  it('may be a single switch between trunks', () => {
    const trunk = { switch: 's1', address: 'a:1' };
    const trunks = [
      { ...trunk, name: 't1', hosts: [1] },
      { ...trunk, name: 't2', hosts: [2] },
    ];
    expect(message({ hosts: [], switches: [{ name: 's1' }], links: [], trunks })).toBe('taken');
  });
});

describe('a wrong topology', () => {
  const base = twoHosts();
  const [l1, l2] = base.links;
  const trunk = { name: 't1', switch: 's1', address: 'a:1', hosts: [9] };
  const lone = { ...base, hosts: [...base.hosts, { id: 3 }], switches: [...base.switches, { name: 's2' }] };

  it.each<[string, TopologyDraft, string]>([
    [
      'an unknown host',
      { ...base, links: [l1, { name: 'l3', a: 'h9', b: 's1' }] },
      "link 'l3' names unknown host or switch 'h9'; known hosts: h1, bob; known switches: s1",
    ],
    ['no hosts', { hosts: [], switches: base.switches, links: [] }, 'the topology has no hosts; it needs at least one'],
    [
      'no switches',
      { hosts: [{ id: 1 }], switches: [], links: [] },
      'the topology has no switches; it needs at least one',
    ],
    [
      'a host id out of range',
      { ...base, hosts: [{ id: 65_535 }] },
      'id of host 1 is 65535; allowed: a whole number from 1 to 65534',
    ],
    [
      'a host id twice',
      { ...base, hosts: [{ id: 1 }, { id: 1, name: 'x' }] },
      'host id 1 appears twice; each has to be unique',
    ],
    [
      'a name twice',
      { ...base, hosts: [{ id: 1, name: 's1' }] },
      "host or switch 's1' appears twice; each has to be unique",
    ],
    [
      'a name with a space',
      { ...base, switches: [{ name: 's 1' }] },
      "name of switch 1 is 's 1'; allowed: 1 to 64 letters, digits, dots, colons, dashes or underscores",
    ],
    [
      'a link to itself',
      { ...base, links: [l1, l2, { a: 's1', b: 's1' }] },
      "link 'l3' joins 's1' to itself; a link has two different ends",
    ],
    [
      'a link between hosts',
      { ...base, links: [{ a: 'h1', b: 'bob' }] },
      "link 'l1' joins the hosts 'h1' and 'bob'; at least one end has to be a switch",
    ],
    ['a host without a link', { ...base, links: [l1] }, "host 'bob' has 0 links; a host has exactly one, to a switch"],
    [
      'a host with two links',
      { ...base, links: [l1, l2, { a: 'h1', b: 's1' }] },
      "host 'h1' has 2 links; a host has exactly one, to a switch",
    ],
    [
      'a part that is cut off',
      { ...lone, links: [l1, l2, { a: 'h3', b: 's2' }] },
      "'s2' cannot be reached from switch 's1'; every host and switch needs a path",
    ],
    [
      'a negative rate',
      { ...base, links: [{ ...l1, rateBps: -1 }, l2] },
      "rateBps of link 'l1' is -1; allowed: a number from 1 up, or Infinity",
    ],
    [
      'a loss above one',
      { ...base, links: [{ ...l1, lossRate: 5 }, l2] },
      "lossRate of link 'l1' is 5; allowed: a number from 0 to 1",
    ],
    [
      'a broken credit queue',
      { ...base, defaults: { creditQueueFrames: 0.5 } },
      "creditQueueFrames of link 'l1' is 0.5; allowed: a whole number from 1 to 65536",
    ],
    [
      'an unknown frame type',
      { ...base, defaults: { frameTypes: ['credits' as 'credit'] } },
      "frameTypes of link 'l1' is a list; allowed: null, or a list of creditRequest, credit, data, ack, creditStop, fin, reset, control, windowAck, speculativeData, version",
    ],
    [
      'a failover before the failure',
      { ...base, failoverDelayNs: -1 },
      'failoverDelayNs of the topology is -1; allowed: a number from 0 up, or Infinity',
    ],
    [
      'an unknown spread',
      { ...base, spread: 'random' as 'flow' },
      "spread of the topology is 'random'; allowed: flow, path",
    ],
    [
      'a link name twice',
      { ...base, links: [l1, { ...l2, name: 'l1' }] },
      "link or trunk 'l1' appears twice; each has to be unique",
    ],
    [
      'a trunk at no switch',
      { ...base, trunks: [{ ...trunk, switch: 'h1' }] },
      "trunk 't1' names unknown switch 'h1'; known switches: s1",
    ],
    [
      'a trunk to a host of its own',
      { ...base, trunks: [{ ...trunk, hosts: [9, 2] }] },
      "trunk 't1' leads to host 2, which this topology has itself; allowed: ids of other hosts",
    ],
  ])('with %s is refused in one sentence', (_, value, sentence) => {
    expect(message(value)).toBe(sentence);
  });

  it('lists no more than a dozen names', () => {
    const hosts = Array.from({ length: 30 }, (_, index) => ({ id: index + 1 }));
    expect(message({ ...base, hosts, links: [{ a: 'x', b: 's1' }] })).toContain('h12 and 18 more; known switches: s1');
  });
});
