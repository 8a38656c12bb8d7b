import { Duplex } from 'node:stream';
import { ControlSession } from '../../../src/apps/switch/control-server.js';
import { crc32 } from '../../../src/base/crc32.js';
import { SeededRandom } from '../../../src/base/random.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import { handleControl } from '../../../src/switch/control.js';
import { Switch } from '../../../src/switch/switch.js';
import { FramePool } from '../../../src/wire/frame.js';
import { TestCookies } from '../../harness/world.js';
import { bytesOf, must, type Target } from '../engine/target.js';

const STAR = builtinTopology('star', { hosts: 2, rateBps: 1e8 });
const FIELDS = ['rateBps', 'delayNs', 'loss', 'down', 'maxFrameBytes', 'creditQueueFrames', 'duplication', 'jitterNs'];

/** Lines to the control of a switch: each gets one answer, or the connection ends with a sentence; the switch goes on. */
export const control: Target = {
  name: 'control',
  seeds: () =>
    [
      '{"verb":"ports"}\n{"verb":"reset"}\n{"verb":"sample"}\n',
      '{"verb":"set","link":"h1-s1","changes":{"down":true,"loss":0.5}}\n{"verb":"stop","switch":"s1"}\n',
      '{"verb":"start","switch":"s1"}\n{"verb":"set","link":"h1->s1","changes":{"rateBps":null}}\nGET / HTTP/1.1\n\n',
    ].map(bytesOf),
  words: [
    '\n',
    '"verb":',
    '"set"',
    '"link":',
    '"changes":',
    ...FIELDS.map((field) => `"${field}":`),
    '1e9',
    'null',
    '-1',
  ],
  run: async (input) => {
    const pool = new FramePool(() => new Uint8Array(2_048), 4);
    const random = new SeededRandom(1);
    const target = new Switch({ topology: STAR, random, check: crc32, pool, cookies: new TestCookies(random) });
    const connection = new Connection();
    let commands = 0;
    const handle = (command: unknown) => handleControl(target, command, ++commands * 1e6);
    new ControlSession(connection, { handle });
    await connection.say(input);
    const lines = connection.written.split('\n');
    must(lines.pop() === '', 'an answer ends its line');
    const sentLines = input.reduce((sum, byte) => sum + Number(byte === 10), 1);
    must(lines.length <= sentLines, `${lines.length} answers to ${sentLines} lines`);
    for (const line of lines) {
      const answer = JSON.parse(line) as { ok?: unknown; error?: { message?: unknown } };
      const why = answer.error?.message;
      must(answer.ok === true || typeof why === 'string', 'an answer is good or says why not');
      must(!String(why).includes('longer than'), 'no line of these is too long');
    }
    target.advance(1e12);
    must(target.statistics(1e12).ports.length > 0, 'the switch goes on');
  },
};

/** The switch's end of a connection. */
class Connection extends Duplex {
  written = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString();
    done();
  }

  async say(bytes: Uint8Array): Promise<void> {
    const half = bytes.length >> 1;
    for (const part of [bytes.subarray(0, half), bytes.subarray(half)])
      if (part.length > 0) this.push(Buffer.from(part));
    this.push(null);
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}
