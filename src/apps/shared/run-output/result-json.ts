import {
  type FctResult,
  type FlowResult,
  type LinkResult,
  SIZE_CLASSES,
  type SimulationResult,
} from '../../../sim/result.js';

/**
 * What `--json` prints of a run: seconds, bits a second and bytes, null where there is no number. `wall_s`, the only thing that depends on the machine,
 * stands last; `wallS` is null where nobody measured it.
 */
export function resultJson(result: SimulationResult, wallS: number | null) {
  return {
    scenario: result.scenario,
    seed: result.seed,
    algorithm: result.algorithm,
    duration_s: seconds(result.durationNs),
    measured_s: seconds(result.measuredNs),
    flows: result.flows.map(flowJson),
    links: result.links.map(linkJson),
    jain: result.jain,
    jain_by_window: result.jainByWindow.map(({ windowNs, jain }) => ({ window_s: seconds(windowNs), jain })),
    utilisation: result.utilisation,
    credit_drop_share: result.creditDropShare,
    disorder_p99: result.disorder?.p99 ?? null,
    disorder_max: result.disorder?.max ?? null,
    fct: Object.fromEntries(
      SIZE_CLASSES.flatMap((name) => {
        const times = result.fct[name];
        return times === undefined ? [] : [[name, fctJson(times)] as const];
      }),
    ),
    events: result.events,
    wall_s: wallS,
  };
}

export type ResultJson = ReturnType<typeof resultJson>;

function flowJson(flow: FlowResult) {
  return {
    id: flow.id,
    src: flow.src,
    dst: flow.dst,
    bytes: flow.bytes,
    start_s: seconds(flow.startNs),
    fct_s: flow.fctNs === null ? null : seconds(flow.fctNs),
    goodput_bps: flow.goodputBps,
    credits: {
      sent: flow.credits.sent,
      used: flow.credits.used,
      wasted: flow.credits.wasted,
      dropped: flow.credits.dropped,
    },
    group: flow.group,
    delivered_bytes: flow.deliveredBytes,
    slowdown: flow.slowdown,
    error: flow.error,
  };
}

function linkJson(link: LinkResult) {
  return {
    name: link.name,
    rate_bps: link.rateBps,
    utilisation: link.utilisation,
    data_queue_bytes_max: link.dataQueueBytesMax,
    data_queue_bytes_mean: link.dataQueueBytesMean,
    credit_drops: link.creditDrops,
    data_drops: link.dataDrops,
    speculative_drops: link.speculativeDrops,
    ecn_marks: link.ecnMarks,
    data_queue_bytes_max_ever: link.dataQueueBytesMaxEver,
    credits_offered: link.creditsOffered,
    lost: link.lost,
  };
}

function fctJson(times: FctResult) {
  return {
    count: times.count,
    mean_s: seconds(times.meanNs),
    p50_s: seconds(times.p50Ns),
    p99_s: seconds(times.p99Ns),
    max_s: seconds(times.maxNs),
    slowdown_p99: times.slowdownP99,
  };
}

function seconds(ns: number): number {
  return ns / 1e9;
}
