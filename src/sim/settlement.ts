import type { FlowRun } from './flow-run.js';
import { creditsOut } from './measure/credits.js';
import type { Network } from './network.js';
import type { TrafficPlayer } from './traffic-player.js';

/**
 * Plays on after the end of a run until no credit of a flow that is over is out. A sender that has nothing more to send says so right after
 * its last byte, so this takes
 * a moment. Where what it says is lost again and again, it takes the life of a credit at most (PROTOCOL §4.5). Returns the flows whose credits were out.
 */
export function settleCredits(network: Network, player: TrafficPlayer): FlowRun[] {
  const found = player.runs.filter((run) => run.isOver && creditsOut(run.credits) > 0 && run.receiver !== null);
  const unsettled = new Set(found);
  if (unsettled.size === 0) return found;
  const lifeNs = found.reduce((longestNs, run) => Math.max(longestNs, creditLifeNs(network, run)), 0);
  player.onCreditsSettled = (run) => {
    unsettled.delete(run);
    if (unsettled.size === 0) network.stop();
  };
  network.run(network.nowNs + lifeNs);
  return found;
}

function creditLifeNs({ hosts }: Network, { toPort, receiver }: FlowRun): number {
  const { endpoint } = hosts[toPort].host;
  return Math.max(endpoint.config.creditLifeNs, 4 * (receiver?.statistics.rttNs ?? 0));
}
