import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer, connect as netConnect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ControlHandler } from '../../src/apps/switch/control-server.js';
import { ControlServer, MAX_CONNECTIONS } from '../../src/apps/switch/control-server.js';
import { ConfigError } from '../../src/base/config-error.js';
import { ExitCode } from '../../src/base/exit-codes.js';
import type { ControlAddress } from '../../src/services/control/address.js';
import { SwitchControl } from '../../src/services/control/client.js';
import { scratchFolder, within } from './switch-lab.js';

const ANY: ControlAddress = { host: '127.0.0.1', port: 0 };

/** A handler that says what it was asked. */
const echo: ControlHandler = (command) => ({ did: command });

async function listen(handle: ControlHandler = echo, at: ControlAddress = ANY) {
  const server = await ControlServer.listen(at, handle);
  onTestFinished(() => server.close());
  return server;
}

async function connect(server: ControlServer) {
  const control = await SwitchControl.connect(server.address);
  onTestFinished(() => control.close());
  return control;
}

/** Something that listens and is no switch. */
async function listenRaw(onSocket: (socket: Socket) => void): Promise<ControlAddress> {
  const server = createServer(onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
}

describe('SwitchControl', () => {
  it('answers requests that overlap, each with its own', async () => {
    const control = await connect(await listen());
    const answers = await Promise.all(Array.from({ length: 500 }, (_, at) => control.request({ at })));
    expect(answers).toEqual(Array.from({ length: 500 }, (_, at) => ({ did: { at } })));
  });

  it('has a method for each verb, and sends no Infinity', async () => {
    const asked: unknown[] = [];
    const control = await connect(
      await listen((command) => {
        asked.push(command);
        return { ports: [] };
      }),
    );
    await control.ports();
    await control.setLink('h1', { rateBps: Number.POSITIVE_INFINITY, lossRate: 0.05 });
    await control.reset();
    await control.driver();
    expect(asked).toEqual([
      { verb: 'ports' },
      { verb: 'set', link: 'h1', changes: { rateBps: null, lossRate: 0.05 } },
      { verb: 'reset' },
      { verb: 'driver' },
    ]);
  });

  it('carries answers of many megabytes', async () => {
    const text = 'x'.repeat(5_000_000);
    const control = await connect(await listen(() => ({ text })));
    expect(await Promise.all([control.request({}), control.request({})])).toEqual([{ text }, { text }]);
  });

  it('says what the switch does not take in its own sentence, and goes on', async () => {
    let calls = 0;
    const server = await listen(() => {
      if (calls++ === 0) throw new ConfigError("unknown link 'x'; known links: h1");
      return {};
    });
    const control = await connect(server);
    await expect(control.request({})).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message: "unknown link 'x'; known links: h1",
    });
    expect(await control.request({})).toEqual({});
  });

  it('names the address where no switch answers', async () => {
    const server = await ControlServer.listen(ANY, echo);
    await server.close();
    const { port } = server.address as { port: number };
    await expect(SwitchControl.connect(`127.0.0.1:${port}`)).rejects.toMatchObject({
      exitCode: ExitCode.peer,
      message: `no switch answers at 127.0.0.1:${port} (ECONNREFUSED)`,
    });
    await expect(SwitchControl.connect('/no/such.sock')).rejects.toMatchObject({
      exitCode: ExitCode.peer,
      message: 'no switch answers at /no/such.sock (ENOENT)',
    });
    await expect(SwitchControl.connect('a b')).rejects.toMatchObject({ exitCode: ExitCode.usage });
  });

  it('fails every request when the switch goes away, and each one after', async () => {
    const address = await listenRaw((socket) => socket.once('data', () => socket.destroy()));
    const control = await SwitchControl.connect(address);
    const requests = [control.request({}), control.request({})];
    for (const request of requests) await expect(request).rejects.toMatchObject({ exitCode: ExitCode.peer });
    expect(control.isClosed).toBe(true);
    await expect(control.ports()).rejects.toThrow(`the switch at ${control.address}`);
  });

  it('does not wait for ever for a switch that is stopped', async () => {
    const control = await SwitchControl.connect(await listenRaw(() => {}), { timeoutMs: 50 });
    await expect(control.ports()).rejects.toThrow('did not answer within 50 ms');
    expect(control.isClosed).toBe(true);
  });

  it.each(['HTTP/1.1 400 Bad Request\r\n\r\n', '{"ok":1}\n', 'null\n', '{"ok":false}\n'])(
    'does not take for a switch what says %o',
    async (words) => {
      const control = await SwitchControl.connect(await listenRaw((socket) => socket.end(words)));
      await expect(control.ports()).rejects.toMatchObject({ exitCode: ExitCode.peer });
    },
  );

  it('fails what has no answer yet when it is closed', async () => {
    const control = await SwitchControl.connect(await listenRaw(() => {}));
    const request = control.ports();
    control.close();
    await expect(request).rejects.toThrow('was left by this process');
  });
});

describe('ControlServer', () => {
  it('ends the connection that was silent for longest when there are too many', async () => {
    const server = await listen();
    const controls = [];
    for (let at = 0; at < MAX_CONNECTIONS; at++) controls.push(await connect(server));
    // By its answer the switch has met every one, and the first has spoken last.
    for (const control of [...controls.slice(1), controls[0]]) await control.request({});
    const newcomer = await connect(server);
    expect(await newcomer.request({ hello: 1 })).toEqual({ did: { hello: 1 } });
    expect(await controls[0].request({})).toEqual({ did: {} });
    await within(
      (async () => {
        while (!controls[1].isClosed) await new Promise((resolve) => setTimeout(resolve, 2));
      })(),
      'the end of the second connection',
    );
    await expect(controls[1].request({})).rejects.toThrow(`more than ${MAX_CONNECTIONS} connections`);
  });

  it('serves whoever ends his side first, as a pipe into netcat does', async () => {
    const { port } = (await listen()).address as { port: number };
    const socket = netConnect(port, '127.0.0.1');
    socket.end('{"verb":"ports"}\n');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({ ok: true, result: { did: { verb: 'ports' } } });
  });

  it('names the address that another process has', async () => {
    const { address } = await listen();
    await expect(ControlServer.listen(address, echo)).rejects.toMatchObject({
      exitCode: ExitCode.usage,
      message: expect.stringMatching(/^the control address 127\.0\.0\.1:\d+ is in use already/),
    });
  });

  describe('at a Unix domain socket', () => {
    it('is for its owner alone, and gone when it is closed', async () => {
      const path = join(await scratchFolder(), 'switch.sock');
      const before = process.umask();
      const server = await ControlServer.listen({ path }, echo);
      expect(process.umask()).toBe(before);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const control = await SwitchControl.connect(path);
      expect(await control.request({ a: 1 })).toEqual({ did: { a: 1 } });
      control.close();
      await server.close();
      expect(existsSync(path)).toBe(false);
    });

    it('takes the place of one that a killed process left', async () => {
      const path = join(await scratchFolder(), 'switch.sock');
      const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
      await once(spawn(process.execPath, ['-e', script]), 'close');
      expect(statSync(path).isSocket()).toBe(true);
      const control = await connect(await listen(echo, { path }));
      expect(await control.request({})).toEqual({ did: {} });
    });

    it('takes the place neither of one that is served nor of a file', async () => {
      const folder = await scratchFolder();
      const path = join(folder, 'switch.sock');
      await listen(echo, { path });
      await expect(ControlServer.listen({ path }, echo)).rejects.toThrow(`the control address ${path} is in use`);
      const file = join(folder, 'precious');
      writeFileSync(file, 'mine');
      await expect(ControlServer.listen({ path: file }, echo)).rejects.toMatchObject({ exitCode: ExitCode.usage });
      expect(existsSync(file)).toBe(true);
      await expect(ControlServer.listen({ path: join(folder, 'no', 'x.sock') }, echo)).rejects.toMatchObject({
        exitCode: ExitCode.usage,
      });
    });
  });
});
