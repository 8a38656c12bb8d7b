import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../../src/apps/cli/commands.js';
import { readConfigFile } from '../../../src/apps/cli/config-file.js';
import { allOptions } from '../../../src/apps/shared/common-options.js';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { longName } from '../../../src/base/value-kind.js';
import { installCommand } from '../../../src/scenario/queue/packages.js';
import { readTopologyFile } from '../../../src/scenario/topology-file.js';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const filesIn = (folder: string): string[] => readdirSync(join(DEPLOY, folder)).sort();
const textOf = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8');

async function commandNamed(name: string) {
  const entry = COMMANDS.find((each) => each.name === name);
  if (entry === undefined) throw new Error(`there is no command '${name}'`);
  return (await entry.load()).command;
}

describe('what is in deploy/', () => {
  it.each(filesIn('topologies'))('has a topology that the switch takes: %s', async (name) => {
    const { topology } = await readTopologyFile(join(DEPLOY, 'topologies', name));
    expect(topology.hosts.length).toBeGreaterThan(0);
  });

  it.each(['two-switches', 'four-trunks'])('has two halves of trunks that fit: %s', async (name) => {
    const halves = ['west', 'east'].map((side) => readTopologyFile(join(DEPLOY, `topologies/${name}-${side}.yaml`)));
    const [west, east] = await Promise.all(halves);
    expect(west.trunks.map(({ bind }) => bind)).toEqual(east.trunks.map(({ remote }) => remote));
    expect(east.trunks.map(({ bind }) => bind)).toEqual(west.trunks.map(({ remote }) => remote));
    for (const [one, other] of [
      [west, east],
      [east, west],
    ]) {
      for (const [index, trunk] of one.topology.trunks.entries()) {
        const { name: nameThere, port } = other.topology.trunks[index];
        expect(trunk.hosts).toEqual(other.topology.hosts.map(({ id }) => id));
        expect(trunk).toMatchObject({ name: nameThere, port });
      }
    }
  });

  it.each(filesIn('config'))('has a configuration that its command takes: %s', async (file) => {
    const command = await commandNamed(file.replace('.yaml', ''));
    const keys = Object.keys(allOptions(command)).map(longName);
    const entries = await readConfigFile(join(DEPLOY, 'config', file), keys);
    expect(entries.size).toBeGreaterThan(0);
    resolveOptions(command.options, new Map(), entries);
  });

  it.each(filesIn('systemd'))('has a unit that runs a command with a configuration that is there: %s', async (name) => {
    const [, command, config] =
      /^ExecStart=\S+\/xpass (\w+) --config \/etc\/xpass\/(\S+) --log-format json$/m.exec(textOf(`systemd/${name}`)) ??
      [];
    expect(name).toBe(`xpass-${command}.service`);
    expect(filesIn('config')).toContain(config);
    await commandNamed(command);
  });

  it('has containers of workers whose queue and packages are those of the program', async () => {
    const { services } = parse(textOf('container/workers.yaml'));
    const { command, build } = services.worker;
    const [name, option, queue] = command;
    const work = await commandNamed(name);
    const given = queue.replace(/^\$\{QUEUE:-(.*)\}$/, '$1');
    resolveOptions(work.options, new Map([[option.slice(2), [given]]]), new Map());
    expect(services).toHaveProperty(new URL(given).hostname);
    expect(installCommand('/src', () => true)).toContain(build.args.PACKAGES);
    expect(textOf('container/Dockerfile')).toContain('ARG PACKAGES=');
  });

  it('says how to install the package that npm makes', () => {
    const { version } = JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8'));
    expect(textOf('README.md')).toContain(`./xpass-${version}.tgz`);
  });
});
