// Tested by test/sim/fuzz/planted-bugs.test.ts
import type { Host } from '../../core/host.js';
import type { Port } from '../../switch/port.js';
import type { SimHost } from '../sim-host.js';
import type { Cast } from './cast.js';
import { DoorBooks } from './door-books.js';
import type { FrameAudit } from './frame-audit.js';
import { HostileHost } from './hostile/hostile-host.js';
import { PortChecks } from './port-checks.js';
import { fail } from './violation.js';

/** Rounding of deadlines on the way through a clock that drifts. */
const ROUNDING_NS = 1e-3;

interface HostSurroundings {
  readonly nic: Port;
  readonly audit: FrameAudit;
  readonly cast: Cast;
  /** Hosts crash. */
  readonly mayLoseAssociations: boolean;
}

/** Looks at one host: no timer is in the past, every frame that it sent or got is accounted for, everything that grows is bounded. */
export class HostChecks {
  private readonly host: SimHost;
  private readonly port: number;
  private readonly audit: FrameAudit;
  private readonly cast: Cast;
  private readonly mayLoseAssociations: boolean;
  private readonly nicChecks: PortChecks;
  private machine: Host;
  private nic: Port;
  private doorBooks: DoorBooks | null;
  /** Frames that went into the network and came out of it here before the present machine began. */
  private enteredBefore = 0;
  private receivedBefore = 0;
  /** Frames that crashed with the machines before. */
  private abandoned = 0;

  constructor(port: number, host: SimHost, { nic, audit, cast, mayLoseAssociations }: HostSurroundings) {
    this.port = port;
    this.host = host;
    this.audit = audit;
    this.cast = cast;
    this.mayLoseAssociations = mayLoseAssociations;
    this.machine = host.host;
    this.nic = nic;
    this.nicChecks = new PortChecks(`the NIC of host ${host.id}`);
    this.doorBooks = this.newDoorBooks();
  }

  /** Frames that are the host's, those included that were lost in crashes. */
  get ownedFrames(): number {
    return this.abandoned + this.machineFrames + this.host.unprocessedFrames;
  }

  /** Books of a liar's frames would only say what it has made up. */
  private get isLiar(): boolean {
    return this.cast.liarPorts.has(this.port);
  }

  /** Frames that the machine holds between two steps. */
  private get machineFrames(): number {
    const { machine } = this;
    const { door } = machine;
    const lies = machine instanceof HostileHost ? machine.liesHeld : 0;
    return lies + this.nic.heldFrames + (door === null ? 0 : door.heldFrames + door.handshakes.output.length);
  }

  /** After every step. `nic` is the one that the host has now. */
  checkTimer(nic: Port, nowNs: number): void {
    const { host } = this;
    if (host.host !== this.machine) this.begin(nic);
    const nextNs = host.nextTimeout();
    if (nextNs < nowNs - ROUNDING_NS) fail('timers', `host ${host.id} should have been asked at ${nextNs} ns`);
    if (nextNs !== Number.POSITIVE_INFINITY || !host.up) return;
    const { flowCount, lingeringCount } = this.machine.endpoint;
    if (flowCount + lingeringCount > 0) fail('timers', `host ${host.id} has ${flowCount} flows and waits for nothing`);
  }

  checkBooks(nowNs: number): void {
    if (this.isLiar) return;
    const { host, nic, audit, port } = this;
    const { counters, config, flowCount, lingeringCount, budget } = this.machine.endpoint;
    const sent = this.sentFrames;
    const entered = audit.enteredBy[port] - this.enteredBefore;
    if (sent !== entered) fail('host frames', `host ${host.id} sent ${sent} frames, ${entered} went into the network`);
    const got = host.dropped + host.unprocessedFrames + this.receivedBefore + this.receivedFrames;
    if (got !== audit.leftBy[port]) fail('host frames', `host ${host.id} got ${got} frames of ${audit.leftBy[port]}`);
    if (counters.outputOverflows > 0) fail('bounds', `host ${host.id} has more to send than fits its output`);
    if (flowCount < 0 || flowCount > config.maxFlows) fail('bounds', `host ${host.id} has ${flowCount} flows`);
    if (lingeringCount > config.maxLingering) fail('bounds', `${lingeringCount} flows linger at host ${host.id}`);
    if (budget.outstanding < 0) fail('budget', `host ${host.id} has ${budget.outstanding} credits outstanding`);
    this.nicChecks.check(nic, nic.settings, host.clock.toOwn(nowNs));
    this.doorBooks?.check();
    this.cast.checkVictim(port, this.machine);
    this.checkRefused();
  }

  /** Frames of flows and of the door that have left the machine for the network. */
  private get sentFrames(): number {
    const { counters } = this.machine.endpoint;
    const { made, keptFrames } = this.doorBooks ?? { made: 0, keptFrames: 0 };
    const kept = this.nic.heldFrames + keptFrames;
    return counters.framesSent + made - counters.nicDrops - counters.outputOverflows - kept;
  }

  private get receivedFrames(): number {
    return this.machine.endpoint.counters.framesReceived + (this.doorBooks?.notAdmitted ?? 0);
  }

  private newDoorBooks(): DoorBooks | null {
    const { door } = this.machine;
    return door === null ? null : new DoorBooks(`host ${this.host.id}`, door);
  }

  /** Endpoints understand each other. Each damaged frame is one that the network counts. */
  private checkRefused(): void {
    if (this.cast.liars.size > 0) return;
    const { short, version, type, check, length, invalid, direction, misdirected } = this.machine.endpoint.counters;
    // Frames of an association that a crash has ended on one side only are no frames to the other.
    const outdated = this.machine.door !== null && this.mayLoseAssociations ? check : 0;
    const refused = short + version + type + check + length + invalid + direction + misdirected - outdated;
    if (refused > 0 && !this.audit.hasCorrupted) {
      fail('refused', `host ${this.host.id} refused ${refused} frames as damaged, and the network damaged none`);
    }
  }

  /** When all is over, nothing is left. */
  checkEmpty(): void {
    if (this.isLiar) return;
    const { host, machine } = this;
    const { flowCount, lingeringCount, budget } = machine.endpoint;
    if (flowCount + lingeringCount > 0)
      fail('leftovers', `host ${host.id} still has ${flowCount + lingeringCount} flows`);
    this.doorBooks?.checkEmpty();
    if (budget.outstanding > 0) fail('budget', `host ${host.id} counts ${budget.outstanding} credits of no flow`);
  }

  /** It has crashed and is back. The old NIC sends nothing any more. */
  private begin(nic: Port): void {
    this.abandoned += this.machineFrames;
    this.receivedBefore += this.receivedFrames;
    this.enteredBefore += this.sentFrames;
    this.machine = this.host.host;
    this.nic = nic;
    this.doorBooks = this.newDoorBooks();
  }
}
