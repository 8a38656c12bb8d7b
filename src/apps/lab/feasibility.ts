import { usageFailure } from '../../base/failure.js';
import { formatRate } from '../../base/quantities.js';
import { MILLISECOND_NS } from '../../base/time.js';
import type { Fault, HostSpec, Scenario } from '../../sim/scenario.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';

/** Processes of hosts at most: each takes 70 MB of memory (measured) and its turns on the cores. */
const MAX_HOSTS = 64;
/** Between what one flow reached through a switch process on two busy cores: 330 Mbit/s in frames of 1.5 KB, 860 Mbit/s in frames of 9 KB (measured). */
const MOST_RATE_BPS = 500e6;

/** Processes are asked for samples no more often: each takes a few tenths of a millisecond of theirs (measured). */
const LEAST_SAMPLE_NS = 10 * MILLISECOND_NS;

/** The scenario with no more samples than processes have time for. */
export function sampledSlowly(scenario: Scenario): Scenario {
  const { probes } = scenario;
  if (probes.intervalNs === 0 || probes.intervalNs >= LEAST_SAMPLE_NS) return scenario;
  return { ...scenario, probes: { ...probes, intervalNs: LEAST_SAMPLE_NS } };
}

/** Ids of the hosts that send or receive, in the topology's order. */
export function takingPart({ hosts }: Scenario, flows: readonly FlowPlan[]): number[] {
  const ids = new Set(flows.flatMap(({ from, to }) => [from, to]));
  return hosts.map(({ id }) => id).filter((id) => ids.has(id));
}

/**
 * What processes cannot do. Throws a usage Failure that names the field for what would make the result mean something else; returns sentences about what is
 * left out, or may be more than the machine can do.
 */
export function checkFeasible(scenario: Scenario, flows: readonly FlowPlan[]): string[] {
  const hosts = takingPart(scenario, flows);
  if (hosts.length > MAX_HOSTS) {
    throw usageFailure(`the traffic has ${hosts.length} hosts, each a process; allowed: at most ${MAX_HOSTS}`);
  }
  if (scenario.topology.trunks.length > 0) {
    throw usageFailure('the topology has trunks; allowed: none, since all switches run in one process');
  }
  if (flows.some(({ afterId }) => afterId !== undefined)) {
    throw usageFailure(
      "a shuffle has rounds; allowed: 1, since a sender's process does not know when its message has arrived",
    );
  }
  for (const host of scenario.hosts) checkClock(host);
  for (const fault of scenario.faults) checkFault(fault);
  return [...processingWarnings(scenario), ...rateWarnings(scenario)];
}

function checkClock({ id, clockDriftPpm }: HostSpec): void {
  if (clockDriftPpm === 0) return;
  throw usageFailure(`clockDrift of host ${id} is ${clockDriftPpm} ppm; allowed: 0, since processes share one clock`);
}

function checkFault(fault: Fault): void {
  if (fault.kind === 'clock') {
    throw usageFailure(
      `a fault changes the clock of host ${fault.host}; processes share one clock, so it cannot be played`,
    );
  }
}

function processingWarnings({ hosts }: Scenario): string[] {
  const isGiven = hosts.some(
    ({ processing: { delayNs, jitterNs, workNs = 0 } }) => delayNs > 0 || jitterNs > 0 || workNs > 0,
  );
  return isGiven ? ['processing of hosts is not played: processes take their own time over a frame'] : [];
}

function rateWarnings({ topology }: Scenario): string[] {
  const fast = topology.links.filter(({ port }) => port.rateBps > MOST_RATE_BPS);
  if (fast.length === 0) return [];
  const most = formatRate(Math.max(...fast.map(({ port }) => port.rateBps)));
  const which = fast.length === 1 ? `link '${fast[0].name}' has` : `${fast.length} links have up to`;
  return [`${which} ${most}: above ${formatRate(MOST_RATE_BPS)} the processes limit the flows, not the links`];
}
