import { algorithmFields } from '../../core/algorithms.js';
import type { Application } from '../../core/application.js';
import type { AttachedLink } from '../../core/attachment.js';
import { DEFAULT_CONFIG, endpointConfig } from '../../core/config.js';
import { Endpoint } from '../../core/endpoint.js';
import type { XpassError } from '../../core/errors.js';
import { Host } from '../../core/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { DEFAULT_PORT, Port } from '../../switch/port.js';
import type { Address } from '../../udp/address.js';
import { parseAddress } from '../../udp/address.js';
import { checkSentence } from '../../udp/crc.js';
import { ONLY_PEER } from '../../udp/host-connection.js';
import { type HostParts, UdpHost } from '../../udp/host-driver.js';
import { mtuWarning } from '../../udp/interface-mtu.js';
import type { SocketProblem } from '../../udp/socket-errors.js';
import { TIMER_SLACK_NS } from '../../udp/wake-policy.js';
import { Chunks, MAX_HOST_ID, NO_HOST } from '../../wire/layout.js';
import { markSeldom } from './collector.js';
import { displayRate } from './display.js';
import { usageFailure } from './failure.js';
import type { Logger } from './logger.js';
import type { TransportValues } from './transport-options.js';

/** Between processes of one site: what a flow sends before it hears of its receiver, as time on its link (ours; at 100 Mbit/s eight full frames). */
const SPECULATIVE_RTT_NS = 1e6;

/** A running endpoint on its socket. */
export type Transport = UdpHost<Host>;

/**
 * What waits at the host's own NIC at most. Credits allow every frame of it, so a short queue would lose what the network let through (ours: four
 * receive windows).
 */
export const NIC_QUEUE_BYTES = 16 * 1024 * 1024;

/**
 * Credits that a NIC lets through at once after it had none to send: as many as wait at a switch's port (PROTOCOL §9.1), so that a host that was late has credits under way again soon, and loses none at the next port, whose drops it hears of a round trip later.
 * With two it would need a millisecond. With 16, 6 to 10 % of the credits were dropped at a switch whose hosts are late, with 8 it is 3 %, and short flows took 1.4 ms instead of 1.7 to 2.3 (docs/PERF-LOG.md). What may queue is bounded by the budget either way (docs/decisions/0007-late-processes.md).
 */
export const NIC_CREDIT_BURST_BYTES = 8 * 92;

/** Who a command talks to. */
export interface Target {
  /** The only peer's UDP address in direct mode. */
  readonly direct?: Address;
  /** Its host id behind a switch. */
  readonly hostId?: number;
}

export interface TransportOptions {
  readonly values: TransportValues;
  readonly application: Application;
  readonly logger: Logger;
  /** Where a daemon listens in direct mode. */
  readonly listen?: Address;
  readonly target?: Target;
  /** The switch takes this host no more: nothing arrives from now on. For whoever may be behind one: nothing else says so. */
  onDetached?(error: XpassError): void;
}

/** What `--to` and `-c` name: a host id behind a switch, an address without one. Throws a usage Failure. */
export function parseTarget(text: string, isSwitched: boolean): Target {
  if (!isSwitched) {
    if (/^\d+$/.test(text)) throw usageFailure(`host id ${text} needs --switch; without it write HOST or HOST:PORT`);
    return { direct: parseAddress(text, { port: DEFAULT_HOST_PORT }) };
  }
  const hostId = Number(text);
  if (Number.isInteger(hostId) && hostId >= 1 && hostId <= MAX_HOST_ID) return { hostId };
  throw usageFailure(`host '${text}' is not allowed behind a switch; allowed: a host id from 1 to ${MAX_HOST_ID}`);
}

/** The number under which `Endpoint.open` knows the target. */
export function peerOf(target: Target): number {
  return target.hostId ?? ONLY_PEER;
}

/** Opens the endpoint that the options describe. Throws XpassError as `UdpHost.open` does. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { values, application, logger, listen, target } = options;
  markSeldom();
  const transport = await UdpHost.open<Host>({
    ...(values.switch !== undefined && { switchAddress: values.switch }),
    ...(listen !== undefined && values.switch === undefined && { bind: listen }),
    ...(target?.direct !== undefined && { onlyPeer: target.direct }),
    ...(values.hostId !== undefined && { hostId: values.hostId }),
    ...(values.frameSize !== undefined && { frameBytes: values.frameSize }),
    rateBps: values.rate,
    spin: values.spin,
    datapath: values.datapath,
    connectTimeoutNs: values.connectTimeout,
    onProblem: (problem) => logProblem(logger, problem),
    onAttachedAgain: () =>
      logger.info('attached again to the switch, which had lost this host: it was restarted, perhaps'),
    onLinkChanged: (link, before) => logTerms(logger, link, before),
    ...(options.onDetached !== undefined && { onDetached: options.onDetached }),
    makeMachine: (parts) => makeHost(parts, values, application),
  });
  if (transport.info.fallback !== undefined) logger.warn(transport.info.fallback);
  for (const warning of transport.info.warnings) logger.info(warning);
  const tooLong = mtuWarning(transport.info.local, transport.link.maxFrameBytes);
  if (tooLong !== null) logger.warn(tooLong);
  logger.info(checkSentence(transport.frameCheck));
  return transport;
}

/** The rate is in force already. A flow keeps the frame size and the id with which it began, and so the host does. */
function logTerms(logger: Logger, link: AttachedLink, before: AttachedLink): void {
  if (link.rateBps !== before.rateBps) {
    logger.info(
      `the switch changed the rate of this link from ${displayRate(before.rateBps)} to ${displayRate(link.rateBps)}`,
    );
  }
  if (link.maxFrameBytes !== before.maxFrameBytes) {
    const sizes = `from ${before.maxFrameBytes} to ${link.maxFrameBytes} B`;
    logger.warn(`the switch changed the frame size of this link ${sizes}: restart this host to use it`);
  }
  if (link.hostId !== before.hostId) {
    logger.warn(`the switch changed the id of this host from ${before.hostId} to ${link.hostId}: restart it`);
  }
}

/** Trouble comes back with every frame that is tried again, so only its first time is news. */
function logProblem(logger: Logger, { code, count, message }: SocketProblem): void {
  if (count === 1) logger.warn({ code }, message);
  else logger.debug({ code, count }, message);
}

function makeHost(parts: HostParts, values: TransportValues, application: Application): Host {
  const { link, pool, check, random, hostCredits } = parts;
  const config = endpointConfig({
    hostId: link.hostId,
    rateBps: link.rateBps,
    frameBytes: link.maxFrameBytes,
    ...algorithmFields(values.algorithm ?? DEFAULT_CONFIG.creditAlgorithm, values.set),
    jitter: values.jitter,
    hostCredits,
    queueBoundNs: values.queueBound,
    queueBoundRtts: 1 / 4,
    // Behind a switch the port's queue of 8 credits would drop what is made up for.
    catchUpRtts: link.hostId === NO_HOST ? 1 / 4 : 0,
    receiveWindowBytes: values.receiveWindow,
    maxWeight: values.maxWeight,
    speculativeRttNs: values.speculative ? SPECULATIVE_RTT_NS : 0,
    frameChunks: values.fillFrames ? Chunks.maxChunks : 0,
    connectTimeoutNs: values.connectTimeout,
    idleTimeoutNs: values.idleTimeout,
    timerSlackNs: TIMER_SLACK_NS,
  });
  const nic = new Port({
    ...DEFAULT_PORT,
    rateBps: link.rateBps,
    maxFrameBytes: link.maxFrameBytes,
    creditBurstBytes: NIC_CREDIT_BURST_BYTES,
    dataQueueBytes: NIC_QUEUE_BYTES,
  });
  return new Host(new Endpoint(config, { random, check, pool, application }), nic);
}
