import { ConfigError, checkObject, showValue } from '../base/config-error.js';
import { LINK_FIELDS, linkChanges } from './link-settings.js';
import type { Switch } from './switch.js';

const VERBS = ['ports', 'set', 'reset', 'sample', 'stop', 'start'];

/**
 * Does what an operator asks of a running switch and returns the answer, both plain JSON:
 *
 * - `{ verb: 'ports' }`: the switch's whole statistics, with every port and what it drops;
 * - `{ verb: 'set', link, changes: {...} }`: changes a link (both directions by its name, one as `from->to`); changes are any fields of PortConfig and
 *   ImpairmentConfig, so `{ down: true }` takes it down and `{ down: false }` brings it up. Answers with the ports of that link;
 * - `{ verb: 'reset' }`: starts counting anew;
 * - `{ verb: 'sample' }`: what a series over time needs of every port, queues since the last sample; costs a fraction of `ports`;
 * - `{ verb: 'stop', switch }`: one switch of the topology loses what its ports hold, and what comes to it until `{ verb: 'start', switch }`.
 *
 * Throws a ConfigError that says what is allowed, and then nothing has changed.
 */
export function handleControl(target: Switch, command: unknown, nowNs: number): object {
  const fields = checkObject(command, 'the command', ['verb', 'link', 'changes', 'switch']);
  switch (fields.verb) {
    case 'ports':
      return target.statistics(nowNs);
    case 'set':
      return setLink(target, fields, nowNs);
    case 'reset':
      target.resetStatistics(nowNs);
      return { reset: true };
    case 'sample':
      return { ports: target.samplePorts(nowNs) };
    case 'stop':
      target.stopSwitch(String(fields.switch), nowNs);
      return { stopped: fields.switch };
    case 'start':
      target.startSwitch(String(fields.switch), nowNs);
      return { started: fields.switch };
    default:
      throw new ConfigError(`unknown command ${showValue(fields.verb)}; allowed: ${VERBS.join(', ')}`);
  }
}

function setLink(target: Switch, fields: Record<string, unknown>, nowNs: number): object {
  const name = fields.link;
  if (typeof name !== 'string') throw new ConfigError(`link of the command is ${showValue(name)}; it has to be a name`);
  const what = `link '${name}'`;
  const changes = checkObject(fields.changes, `changes of ${what}`, LINK_FIELDS);
  target.configureLink(name, linkChanges(changes, what), nowNs);
  const ports = target.statistics(nowNs).ports.filter((port) => port.link === name || port.name === name);
  return { ports };
}
