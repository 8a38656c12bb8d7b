import { expect, it, vi } from 'vitest';
import type { FlowReader } from '../../src/core/flow-callbacks.js';
import { CreditWay } from '../../src/sim/credit-way.js';
import { buildWorld, chancesOf, type World } from '../../src/sim/world.js';
import { dumbbell, scenarioWith } from '../harness/simulations.js';

const IDLE = { onWritable: () => {}, onClosed: () => {} };
const READER: FlowReader = { onData: () => {}, onEnd: () => {}, onClosed: () => {} };

/** Host 1 has been sending to host 2 for a millisecond. */
function busyWorld(): World {
  const scenario = scenarioWith({ topology: dumbbell(1) });
  const world = buildWorld({ scenario, chances: chancesOf(1), applicationAt: () => ({ acceptFlow: () => READER }) });
  const { network } = world;
  network.hosts[0].host.endpoint.open(2, IDLE, {}, 0).writeLength(1e9, 0);
  network.drain(0);
  network.run(1e6);
  return world;
}

it('looks at the flow that sends the credits of its host', () => {
  const [sending, receiving] = busyWorld().network.hosts;
  const way = new CreditWay(receiving);
  const source = receiving.host.endpoint.dueSource as unknown as { prefetch(): number };
  const look = vi.spyOn(source, 'prefetch');
  // The first look is what finds the flow.
  way.prefetch();
  expect(look).toHaveBeenCalledTimes(0);
  way.prefetch();
  expect(look).toHaveBeenCalledTimes(1);
  // A sender has no credits to send.
  const senderWay = new CreditWay(sending);
  for (let times = 0; times < 3; times++) expect(Number.isInteger(senderWay.prefetch())).toBe(true);
});

it('looks at what a host has since it crashed', () => {
  const { network } = busyWorld();
  const host = network.hosts[1];
  const way = new CreditWay(host);
  for (let times = 0; times < 2; times++) way.prefetch();
  host.crash();
  host.restart();
  way.prefetch();
  const look = vi.spyOn(host.host.endpoint, 'prefetch');
  way.prefetch();
  expect(look).toHaveBeenCalledTimes(1);
});
