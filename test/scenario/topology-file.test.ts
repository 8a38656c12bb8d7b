import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseTopologyFile, readTopologyFile } from '../../src/scenario/topology-file.js';
import { laterRefusal } from '../harness/refusal.js';
import { scratchDirectory } from '../harness/scratch.js';

const LAB = `
# Two switches, one slow link between them.
hosts:
  - id: 1
  - { id: 7, name: sink }
switches:
  - name: west
  - name: east
defaults: &edge
  rate: 1gbit
  delay: 20us
  ecnThreshold: 20frames
links:
  - { a: h1, b: west }
  - { a: sink, b: east, frameSize: 8972 }
  - name: middle
    a: west
    b: east
    rate: 100mbit
    dataQueue: 256KiB
    loss: 1%
    frameTypes: [data, credit]
trunks:
  - name: far
    switch: east
    listen: :28601
    to: 10.0.0.2:28601
    hosts: [100, 101]
    rate: unlimited
spread: path
`;

const parse = (source: string) => parseTopologyFile('lab.yaml', source);

describe('a topology file', () => {
  it('becomes a topology, with quantities as people write them', async () => {
    const { name, topology, trunks } = await parse(LAB);
    expect(name).toBe('lab.yaml');
    expect(topology.hosts).toEqual([
      { id: 1, name: 'h1' },
      { id: 7, name: 'sink' },
    ]);
    expect(topology.switches).toEqual([{ name: 'west' }, { name: 'east' }]);
    expect(topology.spread).toBe('path');
    const [first, second, middle] = topology.links;
    expect(first).toMatchObject({ name: 'l1', a: 'h1', b: 'west', port: { rateBps: 1e9, delayNs: 20_000 } });
    expect(middle).toMatchObject({
      name: 'middle',
      port: { rateBps: 1e8, delayNs: 20_000, dataQueueBytes: 262_144 },
      impairment: { lossRate: 0.01, frameTypes: ['data', 'credit'] },
    });
    expect(second.port.maxFrameBytes).toBe(8972);
    expect(topology.trunks[0]).toMatchObject({ name: 'far', switch: 'east', hosts: [100, 101] });
    expect(trunks).toEqual([
      { name: 'far', bind: { host: '127.0.0.1', port: 28_601 }, remote: { host: '10.0.0.2', port: 28_601 } },
    ]);
  });

  it('counts the frames of its defaults by the frame size of each link', async () => {
    const { topology } = await parse(LAB);
    const [first, second] = topology.links;
    expect(first.port.ecnThresholdBytes).toBe(20 * 1538);
    expect(second.port.ecnThresholdBytes).toBe(20 * (8972 + 66));
  });

  it('may be JSON', async () => {
    const value = {
      hosts: [{ id: 1 }],
      switches: [{ name: 's' }],
      links: [{ name: 'up', a: 'h1', b: 's', rate: '10g', down: true }],
    };
    const { topology } = await parse(JSON.stringify(value, null, 1));
    expect(topology.links[0]).toMatchObject({ name: 'up', port: { rateBps: 1e10 }, impairment: { down: true } });
  });

  it('may say a thing once and name it again', async () => {
    const { topology } = await parse(`
      hosts: [{ id: 1 }, { id: 2 }]
      switches: [{ name: s }]
      links:
        - { a: h1, b: s, rate: &slow 10mbit }
        - { a: h2, b: s, rate: *slow }
    `);
    expect(topology.links.map(({ port }) => port.rateBps)).toEqual([1e7, 1e7]);
  });

  const base = 'hosts: [{ id: 1 }]\nswitches: [{ name: s }]\n';
  const trunk = `${base}links: [{ a: h1, b: s }]\ntrunks:\n`;
  it.each([
    ['hosts: [', /lab\.yaml', line 1: is not YAML/],
    ['', /line 1: the file is empty; allowed: a mapping with any of hosts, switches, links, defaults, spread/],
    ['- hosts', /the file is a list; allowed: a mapping/],
    ['host: []', /line 1: the file has the unknown key 'host'; did you mean 'hosts'\?; allowed: hosts, switches/],
    ['a: 1\na: 2', /line 2: is not YAML: Map keys must be unique/],
    ['hosts: 3', /line 1: hosts is '3'; allowed: a list/],
    [`${base}links: [{ a: h1, b: s, rat: 1g }]`, /line 3: links\.0 has the unknown key 'rat'; did you mean 'rate'\?/],
    [`${base}links:\n - a: h1\n   b: s\n   rate: 10x`, /line 6: links\.0\.rate is '10x'; allowed: a rate/],
    [`defaults:\n  loss: 200%\n${base}links: [{ a: h1, b: s }]`, /line 2: defaults\.loss is '200%'/],
    [
      `${base}links:\n- { a: h1, b: s }\n- { a: s, b: h9 }`,
      /line 5: link 'l2' names unknown host or switch 'h9'; known/,
    ],
    [`${base}links:\n- { a: h1, b: s, rate: { x: 1 } }`, /line 4: links\.0\.rate is a mapping; allowed: a rate/],
    ['hosts:\n- { id: 1 }\n- { id: x }\n', /line 3: hosts\.1\.id is 'x'; allowed: a whole number from 1 to 65534/],
    ['hosts:\n- { name: a }\n', /line 2: hosts\.0\.id is missing; allowed/],
    [`${base}links: []`, /line 1: host 'h1' has 0 links/],
    ['hosts:\n- { id: 1 }\n- { id: 1 }\n', /line 3: host id 1 appears twice/],
    ['hosts:\n- { id: 1, name: a }\nswitches:\n- { name: a }\n', /line 4: host or switch 'a' appears twice/],
    [`${base}links: [{ a: h1, b: s }]\nspread: wide`, /line 4: spread is 'wide'; allowed: flow, path/],
    ['hosts: []', /lab\.yaml', line 1: the topology has no hosts/],
    [`${trunk} - { name: t, switch: s, to: 10.0.0.2:1 }`, /line 5: trunks\.0\.listen is missing; allowed: HOST:PORT/],
    [`${trunk} - { name: t, switch: s, listen: :1, to: far }`, /line 5: trunks\.0\.to is 'far'; allowed: HOST:PORT/],
    [`${trunk} - { name: t, switch: q, listen: :1, to: :2 }`, /line 5: trunk 't' names unknown switch 'q'; known/],
    [`${trunk} - { name: t, switch: s, listen: :1, to: :2, hosts: [1] }`, /line 5: trunk 't' leads to host 1, which/],
    [`${trunk} - { name: t, switch: s, listen: :1, to: :2, hosts: [0] }`, /line 5: trunks\.0\.hosts\.0 is '0'/],
  ])('is refused with file, line, thing and what is allowed: %o', async (source, sentence) => {
    const message = await laterRefusal(parse(source));
    expect(message).toMatch(/^topology file 'lab\.yaml'/);
    expect(message).toMatch(sentence);
  });

  it('is refused in one sentence: the YAML parser warns of nothing beside it', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    expect(await laterRefusal(parse('{[9]: x, hosts: [a]}'))).toMatch(/^topology file 'lab\.yaml'/);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is read from the disk, up to a bound', async () => {
    const folder = await scratchDirectory();
    const path = join(folder, 'lab.yaml');
    await writeFile(path, LAB);
    expect((await readTopologyFile(path)).name).toBe(path);
    await writeFile(path, Buffer.alloc(1_048_577, ' '));
    await expect(readTopologyFile(path)).rejects.toThrow('has 1048577 bytes: at most 1048576 are allowed');
    await expect(readTopologyFile(join(folder, 'no.yaml'))).rejects.toThrow(
      /topology file '.*no\.yaml' does not exist/,
    );
    await expect(readTopologyFile(folder)).rejects.toThrow(/topology file '.*' is a directory/);
  });
});
