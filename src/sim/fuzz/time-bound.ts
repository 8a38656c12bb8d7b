// Tested by test/sim/fuzz/random-scenario.test.ts
import { SECOND_NS, transmissionNs } from '../../base/time.js';
import { endpointConfig } from '../../core/config.js';
import { Data, wireBytes } from '../../wire/layout.js';
import { SIMULATION_CONFIG } from '../endpoint-defaults.js';
import type { Fault, HostSpec, Scenario } from '../scenario.js';
import type { FlowPlan } from '../traffic/plan-flows.js';
import { attackEndNs } from './hostile/hostile-host.js';

/** The share of the slowest link that all flows together get at least: the worst that algorithms with few credits and many losses do, halved (ours). */
const LEAST_SHARE = 0.01;
/** Times that a flow may have to fall back on its slowest timer after the last fault: its request, its data's end and its FIN, and again (ours). */
const SLOW_TIMERS = 10;
/** Timeouts of src/core/handshakes.ts, written anew: a check that reads them from there would follow their bugs. */
const UNUSED_OFFER_NS = 5 * SECOND_NS;
const SILENT_IDLE_TIMEOUTS = 2;

/** When the last fault of a scenario is over. */
export function faultsEndNs(faults: readonly Fault[]): number {
  return faults.reduce((latest, fault) => Math.max(latest, fault.atNs + ('forNs' in fault ? fault.forNs : 0)), 0);
}

/**
 * When every flow has ended and every endpoint forgotten it: after the last fault or start, all bytes at a hundredth of the slowest link, a round trip for each
 * frame, fallbacks on the slowest timer, and twice the idle timeout, since two ends may notice a crash one after the other.
 */
export function timeBoundNs(scenario: Omit<Scenario, 'durationNs'>, plans: readonly FlowPlan[]): number {
  const { topology, faults, hosts } = scenario;
  const { maxFrameBytes } = topology.links[0].port;
  const slowestBps = topology.links.reduce((slowest, { port }) => Math.min(slowest, port.rateBps), Number.MAX_VALUE);
  const frames = plans.reduce((sum, { bytes }) => sum + Math.ceil(bytes / (maxFrameBytes - Data.overheadBytes)), 0);
  const attacksEndNs = (scenario.hostile ?? []).reduce((last, spec) => Math.max(last, attackEndNs(spec)), 0);
  const calmNs = Math.max(faultsEndNs(faults), attacksEndNs);
  const beginNs = plans.reduce((last, plan) => Math.max(last, lastWriteNs(plan)), calmNs);
  const frameNs = transmissionNs(wireBytes(maxFrameBytes), slowestBps);
  const pathNs = topology.links.reduce((sum, { port }) => sum + port.delayNs + frameNs, 0);
  const processingNs = hosts.reduce(
    (most, { processing: { delayNs, jitterNs } }) => Math.max(most, delayNs + jitterNs),
    0,
  );
  const roundTripNs = 2 * (pathNs + processingNs);
  return (
    beginNs +
    frames * (roundTripNs + frameNs / LEAST_SHARE) +
    hosts.reduce(
      (most, host) => Math.max(most, patienceNs(host) + (scenario.doors === true ? doorPatienceNs(host) : 0)),
      0,
    )
  );
}

function lastWriteNs({ startNs, stopNs }: FlowPlan): number {
  return Number.isFinite(stopNs) ? Math.max(startNs, stopNs) : startNs;
}

/** Handshakes before the flows, one of them in vain, an offer that nobody takes up, and the silence after which an association is forgotten. PROTOCOL §7 */
function doorPatienceNs({ endpoint }: HostSpec): number {
  const { idleTimeoutNs, connectTimeoutNs, maxBackoffNs } = endpointConfig({ ...SIMULATION_CONFIG, ...endpoint });
  return UNUSED_OFFER_NS + SILENT_IDLE_TIMEOUTS * idleTimeoutNs + 2 * connectTimeoutNs + SLOW_TIMERS * maxBackoffNs;
}

/** What a host may wait for in the end. */
function patienceNs({ endpoint }: HostSpec): number {
  const config = endpointConfig({ ...SIMULATION_CONFIG, ...endpoint });
  const { maxBackoffNs, creditTimeoutNs, dataTimeoutNs, creditLifeNs, initialRetransmitNs } = config;
  const slowTimersNs =
    SLOW_TIMERS * (maxBackoffNs + creditTimeoutNs + dataTimeoutNs + creditLifeNs + initialRetransmitNs);
  return slowTimersNs + 2 * Math.max(config.idleTimeoutNs, config.connectTimeoutNs) + config.lingerNs + SECOND_NS;
}
