import { must, type Target } from './engine/target.js';
import { acks } from './targets/acks.js';
import { attachments } from './targets/attachments.js';
import { bundle } from './targets/bundle.js';
import { chunks } from './targets/chunks.js';
import { commandLine } from './targets/command-line.js';
import { config } from './targets/config.js';
import { control } from './targets/control.js';
import { door } from './targets/door.js';
import { files } from './targets/files.js';
import { frame } from './targets/frame.js';
import { handshake } from './targets/handshake.js';
import { keys } from './targets/keys.js';
import { messages } from './targets/messages.js';
import { noise } from './targets/noise.js';
import { pair } from './targets/pair.js';
import { peers } from './targets/peers.js';
import { perf } from './targets/perf.js';
import { quantities } from './targets/quantities.js';
import { receiver } from './targets/receiver.js';
import { scenario } from './targets/scenario.js';
import { sealed } from './targets/sealed.js';
import { sender } from './targets/sender.js';
import { socks } from './targets/socks.js';
import { topology } from './targets/topology.js';
import { tunnel } from './targets/tunnel.js';

/** Everything that is fuzzed. One more: a file in targets/, and a line here. `npm run fuzz` and `npm test` take them from this table. */
export const TARGETS: readonly Target[] = [
  frame,
  chunks,
  bundle,
  acks,
  sender,
  receiver,
  pair,
  attachments,
  door,
  handshake,
  noise,
  sealed,
  keys,
  peers,
  messages,
  files,
  perf,
  tunnel,
  socks,
  control,
  scenario,
  topology,
  config,
  commandLine,
  quantities,
];

export function targetNamed(name: string): Target {
  const found = TARGETS.find((target) => target.name === name);
  must(found !== undefined, `'${name}' is a target`);
  return found;
}
