import type { Attack, Outcome } from './attack.js';
import * as hosts from './on-hosts.js';
import * as switches from './on-switches.js';
import type { Wire } from './wire.js';

type Row = readonly [number: number, name: string, before: string];

const plain = ([number, name, before]: Row, play: () => Promise<Outcome>): Attack => ({
  ...{ number, name, before },
  isSpoofed: false,
  isUsual: true,
  play,
});

function spoofed([number, name, before]: Row, play: (wire: Wire) => Promise<Outcome>): Attack {
  const onWire = (wire: Wire | null) => {
    if (wire === null) throw new Error('the attack needs raw sockets');
    return play(wire);
  };
  return { number, name, before, isSpoofed: true, isUsual: true, play: onWire };
}

/** A flood that takes seconds to send. */
const long = (attack: Attack): Attack => ({ ...attack, isUsual: false });

/** All of them; the numbers are those of docs/SECURITY.md. */
export const ATTACKS: readonly Attack[] = [
  spoofed([1, 'blind openings that ask for reverse flows', '149,000 times'], hosts.reverseFlows),
  spoofed([2, 'a stream of no service between two daemons', '0.6 core each for ever'], hosts.facingDaemons),
  spoofed([3, 'ATTACH with a token that was seen', 'the port is taken, the victim ends'], switches.stolenPort),
  spoofed([4, 'blind frames that draw ACKs', '12.2 times'], hosts.longAnswers),
  plain([5, '1,200 openings without a header', 'nobody else is served'], hosts.halfOpenings),
  spoofed([6, 'blind files without credits', '288 Mbit/s to the disk'], hosts.uncreditedFiles),
  long(plain([7, 'one-byte frames beyond holes', '2.87 MB hold 403 MB'], hosts.loneBytes)),
  long(spoofed([8, '66,000 spoofed ATTACHs', 'nobody new for 25 to 60 s'], switches.spoofedAttaches)),
  spoofed([9, 'forged frames of a known flow', 'one ends a transfer'], hosts.forgedFrames),
  plain([10, 'flows opened and reset', '9 MB of log a second'], hosts.openAndReset),
  plain([11, 'the control channel of a switch', 'any user stops it'], switches.controlChannel),
  long(spoofed([12, 'a byte from each of 66,000 addresses', "a peer's flows go elsewhere"], hosts.manyAddresses)),
  plain([13, 'flow ids that meet in one chain', 'not measured'], hosts.meetingIds),
];
