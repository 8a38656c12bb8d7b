// Tested by test/loopback/switch-command.test.ts

import { ConfigError, showValue } from '../../base/config-error.js';
import { Failure } from '../../base/failure.js';
import { SeededRandom } from '../../base/random.js';
import { settingsOf } from '../../base/setting.js';
import type { ChosenTopology } from '../../scenario/topology-file.js';
import type { ControlAddress } from '../../services/control/address.js';
import type { ProcessUse, SwitchReport } from '../../services/control/client.js';
import { defaultControlPath, prepareControlDirectory, thisSystem } from '../../services/control/default-path.js';
import { makeToken } from '../../services/control/token.js';
import { handleControl } from '../../switch/control.js';
import type { LinkDirection } from '../../switch/link-direction.js';
import { type LinkFields, PORT_SETTINGS } from '../../switch/link-settings.js';
import { Switch } from '../../switch/switch.js';
import type { Address } from '../../udp/address.js';
import type { FrameCheck } from '../../udp/crc.js';
import type { DatapathChoice } from '../../udp/datapath.js';
import type { SocketProblem } from '../../udp/socket-errors.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { type SwitchParts, UdpSwitch } from '../../udp/switch-driver.js';
import type { Spin } from '../../udp/wake-policy.js';
import type { AttachProof } from '../../wire/proofs.js';
import { markRarely } from '../shared/v8-flags.js';
import { type ControlHandler, ControlServer } from './control-server.js';

export interface SwitchServerOptions {
  readonly chosen: ChosenTopology;
  readonly listen: Address;
  /** A Unix domain socket or a named pipe of this user by default. */
  readonly control?: ControlAddress;
  /** For a control that is TCP; made by default. */
  readonly controlToken?: string;
  /** What hosts have to show when they attach. */
  readonly proof?: AttachProof;
  readonly spin: Spin;
  /** `dgram` by default. */
  readonly datapath?: DatapathChoice;
  readonly keepAliveMs: number;
  /** Makes the impairments repeat themselves. */
  readonly seed?: number;
  /** Settings of single links that hold from the start. */
  readonly links: ReadonlyMap<string, LinkFields>;
  onProblem(problem: SocketProblem): void;
}

/** A switch on its sockets, and its control. */
export class SwitchServer {
  readonly control: ControlServer;
  /** What connections to the control have to begin with; null where files say who may connect. */
  readonly controlToken: string | null;
  private readonly udp: UdpSwitch<Switch>;

  private constructor(udp: UdpSwitch<Switch>, { control, token }: Awaited<ReturnType<typeof openControl>>) {
    this.udp = udp;
    this.control = control;
    this.controlToken = token;
  }

  /** When this resolves, hosts and commands are served. Throws an XpassError or a Failure that names what cannot be had. */
  static async open(options: SwitchServerOptions): Promise<SwitchServer> {
    const { chosen, listen, spin, datapath, onProblem } = options;
    const { links, trunks } = chosen.topology;
    const frameBytes = [...links, ...trunks].reduce((most, { port }) => Math.max(most, port.maxFrameBytes), 0);
    markRarely(frameBytes);
    const udp = await UdpSwitch.open<Switch>({
      bind: listen,
      trunks: chosen.trunks,
      frameBytes,
      makeMachine: (parts) => makeSwitch(parts, options),
      spin,
      ...(datapath !== undefined && { datapath }),
      onProblem,
    });
    try {
      return new SwitchServer(udp, await openControl(udp, options));
    } catch (error) {
      await udp.close();
      throw error;
    }
  }

  /** Where hosts find the switch, then this end of each trunk. */
  get addresses(): Address[] {
    return this.udp.info.map(({ local }) => ({ host: local.address, port: local.port }));
  }

  /** Why the datapath is not the one that was asked for. */
  get fallback(): string | undefined {
    return this.udp.info[0].fallback;
  }

  /** Sentences for people about what the sockets have less of than wanted. */
  get warnings(): string[] {
    return this.udp.info.flatMap(({ warnings }) => warnings);
  }

  /** Who checks the frames that are for the switch itself. */
  get frameCheck(): FrameCheck {
    return this.udp.frameCheck;
  }

  /** Every direction of every link, for a capture. */
  get linkDirections(): readonly LinkDirection[] {
    return this.udp.machine.linkDirections;
  }

  report(): SwitchReport {
    return this.udp.run((nowNs, machine) => ({ atNs: nowNs, ...machine.statistics(nowNs) }));
  }

  driver(): DriverStatistics {
    return this.udp.statistics();
  }

  /** Does a command of the control channel. Throws a ConfigError for one that it does not take. */
  command(command: unknown): object {
    return answerControl(this.udp, command);
  }

  async close(): Promise<void> {
    await this.control.close();
    await this.udp.close();
  }
}

function makeSwitch(parts: SwitchParts, options: SwitchServerOptions): Switch {
  const { chosen, keepAliveMs, seed, links } = options;
  const { pool, check, random, nowNs, cookies, sourceOf, holdPeer } = parts;
  const chance = seed === undefined ? random : new SeededRandom(seed);
  const machine = new Switch({
    topology: chosen.topology,
    random: chance,
    check,
    pool,
    cookies,
    ...(options.proof !== undefined && { proof: options.proof }),
    onHeld: holdPeer,
    sourceOf,
    keepAliveMs,
  });
  for (const [link, changes] of links) handleControl(machine, { verb: 'set', link, changes }, nowNs);
  return machine;
}

/** The token is made unless it is given, where the control is TCP: there no file says who may connect. */
async function openControl(
  udp: UdpSwitch<Switch>,
  { control, controlToken }: SwitchServerOptions,
): Promise<{ control: ControlServer; token: string | null }> {
  const handle = (command: unknown): object => answerControl(udp, command);
  if (control === undefined) return { control: await openDefaultControl(udp, handle), token: null };
  if ('path' in control) return { control: await ControlServer.listen(control, handle), token: null };
  const token = controlToken ?? makeToken();
  return { control: await ControlServer.listen(control, handle, token), token };
}

async function openDefaultControl(udp: UdpSwitch<Switch>, handle: ControlHandler): Promise<ControlServer> {
  const system = thisSystem();
  const { port } = udp.info[0].local;
  prepareControlDirectory(system);
  try {
    return await ControlServer.listen({ path: defaultControlPath(port, system) }, handle);
  } catch (error) {
    // A switch of this port runs in another network namespace, or at another address.
    if (!(error instanceof Failure)) throw error;
    return await ControlServer.listen({ path: defaultControlPath(port, system, String(process.pid)) }, handle);
  }
}

const VERBS: readonly unknown[] = ['ports', 'set', 'reset', 'sample', 'stop', 'start', 'driver', 'process'];

/** `switch/control.ts` and what JSON and the driver add to it. */
function answerControl(udp: UdpSwitch<Switch>, command: unknown): object {
  const verb = isObject(command) ? command.verb : undefined;
  if (!VERBS.includes(verb)) {
    throw new ConfigError(`unknown command ${showValue(verb)}; allowed as verb: ${VERBS.join(', ')}`);
  }
  if (verb === 'driver') return udp.statistics();
  if (verb === 'process') return processUse();
  return udp.run((nowNs, machine) => {
    const answer = handleControl(machine, withInfinities(command), nowNs);
    return verb === 'ports' ? { atNs: nowNs, ...answer } : answer;
  });
}

function processUse(): ProcessUse {
  const { user, system } = process.cpuUsage();
  return {
    startedAtS: performance.timeOrigin / 1e3,
    cpuS: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
  };
}

/** JSON has no Infinity, so null says "unlimited", "never marks" and "strict". */
function withInfinities(command: unknown): unknown {
  if (!isObject(command) || !isObject(command.changes)) return command;
  const changes = { ...command.changes };
  for (const { field, kind } of settingsOf(PORT_SETTINGS)) {
    if (changes[field] === null && kind.accepts(Number.POSITIVE_INFINITY)) changes[field] = Number.POSITIVE_INFINITY;
  }
  return { ...command, changes };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
