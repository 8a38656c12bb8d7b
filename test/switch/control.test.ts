import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/config-error.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { handleControl } from '../../src/switch/control.js';
import { refusal } from '../harness/refusal.js';
import { SwitchBed } from './switch-bed.js';

function makeBed(): SwitchBed {
  return new SwitchBed({ topology: builtinTopology('dumbbell', { pairs: 1, rateBps: 1e9 }) });
}

describe('control of a running switch', () => {
  it('lists the ports', () => {
    const answer = handleControl(makeBed().target, { verb: 'ports' }, 0) as { ports: { name: string }[] };
    expect(answer.ports.map(({ name }) => name)).toEqual([
      'left->right',
      'right->left',
      'h1->left',
      'left->h1',
      'h2->right',
      'right->h2',
    ]);
  });

  it('answers in plain JSON', () => {
    const bed = new SwitchBed({ topology: builtinTopology('star') });
    const answer = handleControl(bed.target, { verb: 'ports' }, 0);
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  });

  it('sets both directions of a link, or one', () => {
    const { target } = makeBed();
    const both = handleControl(
      target,
      { verb: 'set', link: 'left-right', changes: { rateBps: 1e8, lossRate: 0.1 } },
      0,
    );
    expect(both).toMatchObject({
      ports: [
        { name: 'left->right', rateBps: 1e8, impairment: { lossRate: 0.1 } },
        { name: 'right->left', rateBps: 1e8, impairment: { lossRate: 0.1 } },
      ],
    });
    const changes = { down: true, duplicateRate: 0.1, reorderRate: 0.2, corruptRate: 0.3, delayNs: 7 };
    const one = handleControl(target, { verb: 'set', link: 'right->left', changes }, 0);
    expect(one).toMatchObject({
      ports: [{ name: 'right->left', delayNs: 7, impairment: { down: true, lossRate: 0.1 } }],
    });
    handleControl(target, { verb: 'set', link: 'right->left', changes: { down: false } }, 0);
    const { ports } = target.statistics(0);
    expect(ports.map(({ impairment }) => impairment.down)).not.toContain(true);
    expect(ports.map(({ delayNs }) => delayNs)).toEqual([0, 7, 0, 0, 0, 0]);
  });

  it('takes a link down, which no path uses after the failover delay, and up again', () => {
    const topology = builtinTopology('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 1, failoverDelayNs: 1e6 });
    const bed = new SwitchBed({ topology });
    const unused = (down: boolean): readonly string[] => {
      handleControl(bed.target, { verb: 'set', link: 'leaf1-spine1', changes: { down } }, bed.nowNs);
      expect(bed.target.nextTimeout()).toBe(bed.nowNs + 1e6);
      bed.nowNs += 1e6;
      return bed.target.statistics(bed.nowNs).unusedLinks;
    };
    expect(unused(true)).toEqual(['leaf1-spine1']);
    expect(unused(false)).toEqual([]);
  });

  it('samples ports, each time from the last sample on', () => {
    const bed = makeBed();
    for (const id of [1, 2]) bed.attach({ peer: id, id, token: id });
    for (let sent = 0; sent < 3; sent++) bed.data(1, { source: 1, destination: 2 });
    const sample = () => {
      const { ports } = handleControl(bed.target, { verb: 'sample' }, bed.nowNs) as { ports: { name: string }[] };
      return ports.find(({ name }) => name === 'left->right');
    };
    const frameBytes = bed.target.statistics(bed.nowNs).ports[0].dataQueueBytes / 2;
    expect(sample()).toEqual({
      name: 'left->right',
      dataQueueBytesPeak: 2 * frameBytes,
      creditQueueFrames: 0,
      dataWireBytes: frameBytes,
    });
    bed.pass(1e6);
    expect(sample()).toMatchObject({ dataQueueBytesPeak: 2 * frameBytes, dataWireBytes: 3 * frameBytes });
    expect(sample()).toMatchObject({ dataQueueBytesPeak: 0, dataWireBytes: 3 * frameBytes });
  });

  it('stops one switch and starts it again', () => {
    const bed = makeBed();
    for (const id of [1, 2]) bed.attach({ peer: id, id, token: id });
    const sent = () => {
      bed.data(1, { source: 1, destination: 2 });
      bed.pass(1e6);
      const { ports } = bed.target.statistics(bed.nowNs);
      return ports.map(({ name, data, drops }) => [name, data.frames, drops.switchDown ?? 0]);
    };
    expect(handleControl(bed.target, { verb: 'stop', switch: 'right' }, 0)).toEqual({ stopped: 'right' });
    expect(sent()).toContainEqual(['left->right', 1, 1]);
    expect(handleControl(bed.target, { verb: 'start', switch: 'right' }, bed.nowNs)).toEqual({ started: 'right' });
    expect(sent()).toContainEqual(['left->right', 2, 1]);
    expect(() => handleControl(bed.target, { verb: 'stop', switch: 's9' }, 0)).toThrow(
      "unknown switch 's9'; known switches: left, right",
    );
  });

  it('starts counting anew', () => {
    const bed = makeBed();
    bed.data(5, { source: 1, destination: 2 });
    expect(bed.door()).toEqual({ notAttached: 1 });
    expect(handleControl(bed.target, { verb: 'reset' }, 0)).toEqual({ reset: true });
    expect(bed.door()).toEqual({});
  });

  it.each<[unknown, string]>([
    ['ports', "the command is 'ports'; it has to be an object with any of verb, link, changes, switch"],
    [{ verb: 'halt' }, "unknown command 'halt'; allowed: ports, set, reset, sample, stop, start"],
    [{ verb: 'set', changes: {} }, 'link of the command is undefined; it has to be a name'],
    [{ verb: 'set', link: 'x', changes: { down: true } }, "unknown link 'x'; known links: left-right, h1, h2"],
    [
      { verb: 'set', link: 'h1', changes: { lossRate: 2 } },
      "lossRate of link 'h1' is 2; allowed: a number from 0 to 1",
    ],
    [{ verb: 'set', link: 'h1', changes: { down: 'yes' } }, "down of link 'h1' is 'yes'; allowed: true, false"],
    [
      { verb: 'set', link: 'h1', changes: { frameTypes: 'data' } },
      "frameTypes of link 'h1' is 'data'; allowed: null, or a list of creditRequest, credit, data, ack, creditStop, fin, reset, control, windowAck, speculativeData, version",
    ],
  ])('refuses %j in one sentence', (command, sentence) => {
    expect(refusal(() => handleControl(makeBed().target, command, 0))).toBe(sentence);
  });

  it('changes nothing where one of the changes is wrong', () => {
    const { target } = makeBed();
    const before = target.statistics(0);
    const changes = { rateBps: 1e6, lossRate: 7 };
    expect(() => handleControl(target, { verb: 'set', link: 'h1', changes }, 0)).toThrow(ConfigError);
    expect(target.statistics(0)).toEqual(before);
  });
});
