import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  type ControlHandler,
  ControlSession,
  MAX_COMMAND_BYTES,
  MAX_WRONG_TOKENS,
  TokenGate,
} from '../../../src/apps/switch/control-server.js';
import { ConfigError } from '../../../src/base/config-error.js';

/** The switch's end of a connection, whose other end the test plays. */
class FakeConnection extends Duplex {
  written = '';
  /** The other end does not read. */
  isStuck = false;
  private waiting: (() => void) | null = null;

  constructor() {
    super({ writableHighWaterMark: 1000 });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString();
    if (this.isStuck) this.waiting = done;
    else done();
  }

  /** Bytes from the other end. */
  async say(text: string): Promise<void> {
    this.push(Buffer.from(text));
    await turn();
  }

  /** The other end closes the connection. */
  async hangUp(): Promise<void> {
    this.push(null);
    await turn();
  }

  async readAgain(): Promise<void> {
    this.isStuck = false;
    this.waiting?.();
    await turn();
  }

  get answers(): unknown[] {
    return this.written
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}

/** Streams hand on what they have in the turns that follow. */
async function turn(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
}

function connect(handle: ControlHandler = (command) => ({ did: command }), gate?: TokenGate) {
  const connection = new FakeConnection();
  let commands = 0;
  const session = new ControlSession(connection, {
    handle,
    onCommand: () => void commands++,
    ...(gate !== undefined && { gate }),
  });
  return { connection, session, commands: () => commands };
}

describe('a control session', () => {
  it('answers each line with a line, in their order', async () => {
    const { connection, commands } = connect();
    await connection.say('{"verb":"ports"}\n{"verb":');
    expect(connection.answers).toEqual([{ ok: true, result: { did: { verb: 'ports' } } }]);
    await connection.say('"reset"}\n3\n');
    expect(connection.answers.slice(1)).toEqual([
      { ok: true, result: { did: { verb: 'reset' } } },
      { ok: true, result: { did: 3 } },
    ]);
    expect(commands()).toBe(3);
  });

  it('says what the caller did wrong, and goes on', async () => {
    const { connection } = connect((command) => {
      if (command === 1) throw new ConfigError("unknown link 'x'; known links: h1");
      return {};
    });
    await connection.say('1\n2\n');
    expect(connection.answers).toEqual([
      { ok: false, error: { code: 'config', message: "unknown link 'x'; known links: h1" } },
      { ok: true, result: {} },
    ]);
  });

  it('ends a connection that says something that is no JSON, and does nothing that follows', async () => {
    let did = 0;
    const { connection } = connect(() => ({ did: did++ }));
    await connection.say('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n{"verb":"reset"}\n');
    await connection.say('{"verb":"reset"}\n');
    expect(did).toBe(0);
    expect(connection.answers).toMatchObject([{ ok: false, error: { code: 'config' } }]);
    expect(connection.written).toContain('a command is no JSON');
    expect(connection.writableEnded).toBe(true);
  });

  it('ends a connection with a line that does not end, after those before it', async () => {
    const { connection } = connect();
    await connection.say(`1\n${'x'.repeat(MAX_COMMAND_BYTES)}`);
    expect(connection.writableEnded).toBe(false);
    await connection.say('x');
    expect(connection.answers).toMatchObject([{ ok: true }, { ok: false }]);
    expect(connection.written).toContain(`at most ${MAX_COMMAND_BYTES} bytes`);
    expect(connection.writableEnded).toBe(true);
    await connection.say('\n2\n');
    expect(connection.answers).toHaveLength(2);
    await connection.hangUp();
    expect(connection.destroyed).toBe(true);
  });

  it('does no more commands while nobody reads the answers, and loses none', async () => {
    let did = 0;
    const { connection } = connect(() => ({ text: 'x'.repeat(600), did: did++ }));
    connection.isStuck = true;
    await connection.say('1\n'.repeat(50));
    expect(did).toBe(2);
    await connection.readAgain();
    expect(did).toBe(50);
    expect(connection.answers.map((answer) => (answer as { result: { did: number } }).result.did)).toEqual(
      Array.from({ length: 50 }, (_, at) => at),
    );
  });

  it('says why it ends when it is told to, once', async () => {
    const { connection, session } = connect();
    session.refuse('too many');
    session.refuse('too many');
    await connection.say('1\n');
    expect(connection.answers).toEqual([{ ok: false, error: { code: 'config', message: 'too many' } }]);
    expect(connection.writableEnded).toBe(true);
  });

  it('lets go of a connection that broke', async () => {
    const { connection } = connect();
    connection.emit('error', new Error('ECONNRESET'));
    expect(connection.destroyed).toBe(true);
  });

  it('does not do a command whose line does not end', async () => {
    let did = 0;
    const { connection } = connect(() => ({ did: did++ }));
    await connection.say('{"verb":"reset"}\n{"verb":"reset"}');
    await connection.hangUp();
    expect([did, connection.answers.length]).toEqual([1, 1]);
  });
});

describe('a control session with a token', () => {
  const TOKEN = '0123456789abcdef';

  it('does commands behind the token only', async () => {
    const { connection } = connect(undefined, new TokenGate(TOKEN));
    await connection.say(`{"token":"${TOKEN}"}\n{"verb":"ports"}\n`);
    expect(connection.answers).toEqual([
      { ok: true, result: {} },
      { ok: true, result: { did: { verb: 'ports' } } },
    ]);
  });

  it.each(['{"verb":"reset"}', '{"token":"0123456789abcdeX"}', '{"token":1}', '{"token":""}', 'null', '3'])(
    'does nothing behind %s',
    async (first) => {
      let did = 0;
      const { connection } = connect(() => ({ did: did++ }), new TokenGate(TOKEN));
      await connection.say(`${first}\n{"verb":"reset"}\n`);
      expect(did).toBe(0);
      expect(connection.answers).toMatchObject([{ ok: false }]);
      expect(connection.writableEnded).toBe(true);
    },
  );

  it('lets nobody in for a minute after ten wrong ones, whoever gave them', () => {
    let nowMs = 0;
    const gate = new TokenGate(TOKEN, () => nowMs);
    for (let at = 0; at < MAX_WRONG_TOKENS; at++) expect(gate.problemOf({ token: 'wrong' })).not.toBeNull();
    expect(gate.problemOf({ token: TOKEN })).toContain('nobody is let in for a minute');
    nowMs = 60_000;
    expect(gate.problemOf({ token: TOKEN })).toBeNull();
  });
});
