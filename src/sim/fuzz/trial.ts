// Tested by test/sim/fuzz/sim.fuzz.test.ts
import { AssertionError } from '../../base/assert.js';
import { Fabric } from '../../switch/fabric.js';
import type { Scenario } from '../scenario.js';
import { simulate } from '../simulate.js';
import type { TrafficPlayer } from '../traffic-player.js';
import type { MakeDoor, MakeFabric, World } from '../world.js';
import { AuditedPool } from './audited-pool.js';
import { Cast } from './cast.js';
import { FrameAudit } from './frame-audit.js';
import { Violation } from './violation.js';
import { WorldChecks } from './world-checks.js';

/** What was wrong with a world. */
export interface Finding {
  /** The same for the same fault, however the scenario is made smaller: the name of a check, or the words of an assertion. */
  readonly check: string;
  readonly sentence: string;
  /** When it showed, in virtual time. */
  readonly atNs: number;
  readonly stack: string;
}

export interface TrialResult {
  /** null: all was well. */
  readonly finding: Finding | null;
  /** Virtual time that was played, and events. */
  readonly simulatedNs: number;
  readonly events: number;
}

const makeRealFabric: MakeFabric = (options) => new Fabric(options);

/** Plays a scenario and looks at everything after every event. `makeFabric`, `makeDoor`: parts that may be wrong on purpose, to check the checks. */
export function tryScenario(
  scenario: Scenario,
  makeFabric: MakeFabric = makeRealFabric,
  makeDoor?: MakeDoor,
): TrialResult {
  return new Trial(scenario, makeFabric, makeDoor).run();
}

class Trial {
  private readonly scenario: Scenario;
  private readonly makeFabric: MakeFabric;
  private readonly makeDoor: MakeDoor | undefined;
  private readonly cast: Cast;
  private pool: AuditedPool | null = null;
  private audit: FrameAudit | null = null;
  private checks: WorldChecks | null = null;
  private world: World | null = null;
  private lastNs = 0;

  constructor(scenario: Scenario, makeFabric: MakeFabric, makeDoor: MakeDoor | undefined) {
    this.scenario = scenario;
    this.makeFabric = makeFabric;
    this.makeDoor = makeDoor;
    this.cast = new Cast(scenario);
  }

  run(): TrialResult {
    let finding: Finding | null = null;
    try {
      this.play();
    } catch (error) {
      finding = findingOf(error, this.lastNs);
    }
    return { finding, simulatedNs: this.lastNs, events: this.world?.network.events ?? 0 };
  }

  private play(): void {
    const { cast } = this;
    const hostIds = this.scenario.hosts.map(({ id }) => id);
    let pool: AuditedPool;
    simulate(this.scenario, {
      slowdowns: false,
      makePool: (makeBytes, capacity) => {
        pool = new AuditedPool(makeBytes, capacity);
        this.pool = pool;
        return pool;
      },
      makeFabric: (options) => {
        const fabric = this.makeFabric(options);
        this.audit = new FrameAudit(fabric, pool, { hostIds, liars: cast.liarPorts });
        this.audit.onEnter = (frame) => cast.onEnter(frame);
        return fabric;
      },
      makeDoor: this.makeDoor,
      makeHost: (parts, port) => cast.makeHost(parts, port),
      makeApplication: (usual, port) => cast.makeApplication(usual, port),
      onStep: (world, player) => this.step(world, player),
    });
    this.checks?.end();
  }

  private step(world: World, player: TrafficPlayer): void {
    if (this.checks === null) {
      const { scenario, pool, audit, cast } = this;
      this.world = world;
      const books = { pool: pool as AuditedPool, audit: audit as FrameAudit, cast };
      this.checks = new WorldChecks({ scenario, world, player, ...books });
      cast.begin(world.network);
    }
    this.lastNs = world.network.nowNs;
    this.checks.step();
  }
}

/** Anything that a simulation throws is a finding: `randomScenario` asks for nothing that cannot be. */
function findingOf(error: unknown, atNs: number): Finding {
  if (!(error instanceof Error)) throw error;
  const { message, stack = message } = error;
  const check = error instanceof Violation ? error.check : nameOf(error);
  return { check, sentence: message, atNs, stack };
}

/** Messages of assertions are constant; others may have figures in them. */
function nameOf(error: Error): string {
  return error instanceof AssertionError
    ? `assertion: ${error.message}`
    : `${error.name}: ${error.message.replace(/\d+/g, 'N')}`;
}
