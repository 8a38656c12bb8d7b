import { text } from '../base/value-kind.js';
import { checkTopology, HOST_ID, type Topology } from '../switch/topology.js';
import { address, formatAddress, type TrunkAddresses } from '../udp/address.js';
import { MAX_HOST_ID } from '../wire/layout.js';
import { linkFields } from './link-text.js';
import { linkShape } from './setting-shapes.js';
import { EXPLICIT_FIELDS } from './topology-shape.js';
import { list, mapping, shaped, written } from './written.js';
import { readYaml } from './yaml-file.js';
import { YamlText } from './yaml-text.js';

/** A topology and what the driver needs to know besides. */
export interface ChosenTopology {
  /** The built-in's name or the file's path, for people. */
  readonly name: string;
  readonly topology: Topology;
  readonly trunks: readonly TrunkAddresses[];
}

const KIND = 'topology file';
/** Both ends of a trunk name a port: the other process has to know it. */
const TRUNK_ADDRESS = address({ host: '127.0.0.1' });
/** Trunks of one switch process (ours): each has a socket. */
const MAX_TRUNKS = 1024;

const TRUNK = mapping({
  name: written(text('a name, the same at both ends'), { describe: 'Name of the trunk' }),
  switch: written(text('a switch'), { describe: 'The switch at which it ends' }),
  listen: written(TRUNK_ADDRESS, { describe: 'Where this end receives' }),
  to: written(TRUNK_ADDRESS, { describe: 'Where the other end receives' }),
  hosts: list(written(HOST_ID, { describe: 'Id of a host' }), {
    describe: 'Hosts behind it',
    most: MAX_HOST_ID,
  }).optional(),
  ...linkShape(),
});

const FILE = mapping({
  ...EXPLICIT_FIELDS,
  hosts: EXPLICIT_FIELDS.hosts.optional(),
  switches: EXPLICIT_FIELDS.switches.optional(),
  links: EXPLICIT_FIELDS.links.optional(),
  trunks: list(TRUNK, { describe: 'Links to switches of other processes', most: MAX_TRUNKS }).optional(),
});

/** Reads the topology that a file describes (deploy/README.md). Throws a ConfigError that names the file, the line, the thing and what is allowed. */
export async function readTopologyFile(path: string): Promise<ChosenTopology> {
  return topologyIn(await readYaml(path, KIND));
}

/** The same for text that is at hand. */
export async function parseTopologyFile(path: string, source: string): Promise<ChosenTopology> {
  return topologyIn(await YamlText.parse({ path, kind: KIND, source }));
}

function topologyIn(file: YamlText): ChosenTopology {
  return file.read((document) => {
    const {
      hosts = [],
      switches = [],
      links = [],
      trunks = [],
      defaults,
      ...routing
    } = shaped(FILE, document, 'the file');
    const { spread, failoverDelay: failoverDelayNs } = routing;
    const fields = (own: object) => linkFields({ ...defaults, ...own });
    const topology = checkTopology({
      hosts,
      switches,
      links: links.map((link) => ({ a: link.a, b: link.b, name: link.name, ...fields(link) })),
      trunks: trunks.map(({ name, switch: at, to, hosts: behind = [], ...own }) => {
        return { name, switch: at, address: formatAddress(to), hosts: behind, ...fields(own) };
      }),
      spread,
      failoverDelayNs,
    });
    const addresses = trunks.map(({ name, listen: bind, to: remote }) => ({ name, bind, remote }));
    return { name: file.path, topology, trunks: addresses };
  });
}
