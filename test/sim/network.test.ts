import { describe, expect, it } from 'vitest';
import { REFUSE_ALL } from '../../src/core/application.js';
import type { FlowReader } from '../../src/core/flow-callbacks.js';
import { buildWorld, chancesOf, type World } from '../../src/sim/world.js';
import { dumbbell, scenarioWith } from '../harness/simulations.js';

const IDLE = { onWritable: () => {}, onClosed: () => {} };
const READER: FlowReader = { onData: () => {}, onEnd: () => {}, onClosed: () => {} };

function worldOf(topology = dumbbell(1)): World {
  const scenario = scenarioWith({ topology });
  return buildWorld({ scenario, chances: chancesOf(1), applicationAt: () => ({ acceptFlow: () => READER }) });
}

/** Opens a flow of `bytes` from the host at `port` to host `to`. */
function send({ network }: World, port: number, to: number, bytes = 1446): void {
  const sender = network.hosts[port].host.endpoint.open(to, IDLE, {}, network.nowNs);
  sender.writeLength(bytes, network.nowNs);
  network.drain(port);
}

describe('the network', () => {
  it('has nothing to do before something is sent', () => {
    const { network } = worldOf();
    expect(network.run(Number.POSITIVE_INFINITY)).toBe(0);
    expect(network.run(5e6)).toBe(5e6);
    expect(network.events).toBe(0);
  });

  it('moves frames at the speed of its links', () => {
    const world = worldOf();
    send(world, 0, 2);
    const { network } = world;
    const heard = () => network.hosts[1].host.endpoint.counters.framesReceived;
    // A request is 102 bytes on the wire, sent three times at 10 Gbit/s; propagation takes 10, 30 and 10 us.
    const arrivalNs = 3 * 81.6 + 50e3;
    network.run(arrivalNs - 1);
    expect(heard()).toBe(0);
    network.run(arrivalNs + 1);
    expect(heard()).toBe(1);
  });

  it('lets the agenda come before frames that arrive in the same instant', () => {
    const heard = ({ network }: World) => network.hosts[1].host.endpoint.counters.framesReceived;
    const rehearsal = worldOf();
    let arrivalNs = 0;
    rehearsal.network.onStep = () => {
      if (arrivalNs === 0 && heard(rehearsal) === 1) arrivalNs = rehearsal.network.nowNs;
    };
    send(rehearsal, 0, 2);
    rehearsal.network.run(1e6);
    const world = worldOf();
    const seen: number[] = [];
    world.network.agenda.at(arrivalNs, () => seen.push(heard(world)));
    send(world, 0, 2);
    world.network.run(arrivalNs);
    expect([...seen, heard(world)]).toEqual([0, 1]);
  });

  it('looks ahead at many hosts, whatever they are doing, and changes nothing by it', () => {
    const [few, many] = [dumbbell(255), dumbbell(256)].map((topology) => {
      const world = worldOf(topology);
      const { network } = world;
      const pairs = topology.hosts.length / 2;
      for (const port of [0, 1, 2]) send(world, port, pairs + 1 + port, 20 * 1446);
      network.agenda.at(60e3, () => network.hosts[pairs].crash());
      network.agenda.at(120e3, () => network.hosts[pairs].restart());
      network.run(30e6);
      return [pairs + 1, pairs + 2].map((port) => network.hosts[port].host.endpoint.counters.framesReceived);
    });
    expect(many.every((frames) => frames > 20)).toBe(true);
    expect(many).toEqual(few);
  });

  it('stops after the step in which it is told to', () => {
    const { network } = worldOf();
    const done: number[] = [];
    network.agenda.at(1, () => {
      done.push(1);
      network.stop();
    });
    network.agenda.at(2, () => done.push(2));
    expect(network.run(10)).toBe(1);
    expect(done).toEqual([1]);
    expect(network.run(10)).toBe(10);
    expect(done).toEqual([1, 2]);
  });
});

describe('a simulated host', () => {
  it('hears and says nothing while it is down, and knows nothing afterwards', () => {
    const world = worldOf();
    const { network } = world;
    const [, receiver] = network.hosts;
    send(world, 0, 2);
    receiver.crash();
    network.run(1e6);
    expect(receiver.dropped).toBeGreaterThan(0);
    expect(receiver.nextTimeout()).toBe(Number.POSITIVE_INFINITY);
    receiver.restart();
    expect(receiver.host.endpoint.flowCount).toBe(0);
    network.run(50e6);
    expect(receiver.host.endpoint.counters.framesReceived).toBeGreaterThan(0);
  });

  it('gives every frame back to the pool', () => {
    const scenario = scenarioWith({ topology: dumbbell(1), host: { processing: { delayNs: 1e3, jitterNs: 1e3 } } });
    const world = buildWorld({ scenario, chances: chancesOf(1), applicationAt: () => REFUSE_ALL });
    let out = 0;
    const { pool } = world;
    const [take, give] = [pool.take.bind(pool), pool.give.bind(pool)];
    pool.take = () => {
      out++;
      return take();
    };
    pool.give = (frame) => {
      out--;
      give(frame);
    };
    send(world, 0, 2);
    world.network.run(20e9);
    expect(out).toBe(0);
  });
});
