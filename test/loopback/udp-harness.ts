import type { XpassError } from '../../src/base/errors.js';
import { type Application, REFUSE_ALL } from '../../src/core/application.js';
import { endpointConfig } from '../../src/core/config.js';
import { Endpoint } from '../../src/core/endpoint.js';
import type { FlowWriter } from '../../src/core/flow-callbacks.js';
import { Host } from '../../src/core/host.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { doorOf } from '../../src/net/assemble.js';
import { DEFAULT_PORT, Port } from '../../src/switch/port.js';
import { Switch } from '../../src/switch/switch.js';
import { checkTopology } from '../../src/switch/topology.js';
import { UdpHost, type UdpHostOptions } from '../../src/udp/host-driver.js';
import { UdpSwitch, type UdpSwitchOptions } from '../../src/udp/switch-driver.js';

/** A promise and what settles it. */
export function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** Real sockets have their own time: waits until something is so, and fails after ten seconds. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`waited for ten seconds: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Drivers that a test has opened; `closeAll` ends them in the opposite order. */
const opened: { close(): Promise<void> }[] = [];

export async function closeAll(): Promise<void> {
  for (const driver of opened.splice(0).reverse()) await driver.close();
}

export const ANY_PORT = { host: '127.0.0.1', port: 0 };

type HostOptions = Omit<UdpHostOptions<Host>, 'makeMachine'> & { application?: Application; idleTimeoutNs?: number };

/** A host with the real endpoint and NIC. */
export async function openHost({ application = REFUSE_ALL, idleTimeoutNs, ...options }: HostOptions) {
  const host = await UdpHost.open<Host>({
    ...options,
    makeMachine: (parts) => {
      const { link, pool, check, random } = parts;
      const { hostId, rateBps, maxFrameBytes } = link;
      const idle = idleTimeoutNs === undefined ? {} : { idleTimeoutNs };
      const config = endpointConfig({ hostId, rateBps, frameBytes: maxFrameBytes, ...idle });
      const nic = new Port({ ...DEFAULT_PORT, rateBps, maxFrameBytes });
      const endpoint = new Endpoint(config, { random, check, pool, application });
      return new Host(endpoint, nic, doorOf(endpoint, parts));
    },
  });
  opened.push(host);
  return host;
}

type SwitchOptions = Partial<Omit<UdpSwitchOptions<Switch>, 'makeMachine'>> & { topology?: object };

/** A switch with three hosts on 1 Gbit/s links, unless told otherwise. */
export async function openSwitch({ topology = {}, ...options }: SwitchOptions = {}) {
  const checked = checkTopology({
    hosts: [{ id: 1 }, { id: 2 }, { id: 3 }],
    switches: [{ name: 's' }],
    links: [1, 2, 3].map((id) => ({ a: `h${id}`, b: 's' })),
    defaults: { rateBps: 1e9 },
    ...topology,
  });
  const driver = await UdpSwitch.open<Switch>({
    bind: ANY_PORT,
    frameBytes: 1472,
    makeMachine: ({ pool, check, random, cookies }) =>
      new Switch({ topology: checked, pool, check, random, cookies, keepAliveMs: 100 }),
    ...options,
  });
  opened.push(driver);
  return driver;
}

/** Where hosts find a switch. */
export function switchAddressOf(driver: UdpSwitch<Switch>) {
  const { address, port } = driver.info[0].local;
  return { host: address, port };
}

/** Takes every flow and keeps its bytes; `ended` settles with the first stream that is complete. */
export function collector(host: () => UdpHost<Host>) {
  const { promise: ended, resolve, reject } = deferred<Buffer>();
  const application: Application = {
    acceptFlow: (flow) => {
      const chunks: Buffer[] = [];
      return {
        onData: (bytes) => {
          chunks.push(Buffer.from(bytes));
          host().run((nowNs) => flow.release(bytes.length, nowNs));
        },
        onEnd: () => resolve(Buffer.concat(chunks)),
        onClosed: (error) => {
          if (error !== null) reject(error);
        },
      };
    },
  };
  return { application, ended };
}

/** Sends `bytes` as one flow; resolves with null, or the error, when it is closed. */
export function sendAll(host: UdpHost<Host>, peer: number, bytes: Uint8Array): Promise<XpassError | null> {
  return new Promise((resolve) => {
    let at = 0;
    const pump = (flow: SenderFlow, nowNs: number) => {
      while (at < bytes.length) {
        const chunk = bytes.subarray(at, at + 65_536);
        if (!flow.write(chunk, nowNs)) return;
        at += chunk.length;
      }
      flow.end(nowNs);
    };
    const writer: FlowWriter = {
      onWritable: () => host.run((nowNs) => pump(flow, nowNs)),
      onClosed: resolve,
    };
    const flow = host.run((nowNs, { endpoint }) => endpoint.open(peer, writer, {}, nowNs));
    host.run((nowNs) => pump(flow, nowNs));
  });
}
