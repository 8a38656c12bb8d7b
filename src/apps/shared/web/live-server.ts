// Tested by test/loopback/live-server.test.ts
/** The live page of a process: one page, its samples as server-sent events, and commands. docs/WEB.md */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ConfigError } from '../../../base/config-error.js';
import { printable } from '../../../base/display.js';
import { Failure, failureOf } from '../../../base/failure.js';
import { type Address, formatAddress } from '../../../udp/address.js';
import { type Refusal, WebAccess } from './access.js';
import { LiveFeed, type LiveSource } from './live-feed.js';

/** Who looks at a time (ours): a class of students has one each, or one on the wall. */
export const MAX_VIEWERS = 16;
/** A viewer that is this far behind is dropped: some seconds of a large topology (ours). */
const MAX_BEHIND_BYTES = 1024 * 1024;
/** Ours: a command takes some hundred bytes. */
const MAX_COMMAND_BYTES = 16_384;
/** Connections at a time: each viewer has one, and each page fetches beside it (ours). */
const MAX_CONNECTIONS = 64;

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

export interface LiveServerOptions {
  /** Where to listen; port 0 lets the system choose. */
  readonly address: Address;
  readonly token: string;
  /** HTML. */
  readonly page: string;
  readonly source: LiveSource;
  /** A sentence for the log. */
  onNotice(sentence: string): void;
}

/** Counts of a server since its start. */
export interface LiveServerCounts {
  viewers: number;
  refused: number;
  /** Too slow for what they asked for. */
  dropped: number;
}

export class LiveServer {
  readonly counts: LiveServerCounts = { viewers: 0, refused: 0, dropped: 0 };
  private readonly options: LiveServerOptions;
  private readonly server: Server;
  private readonly access: WebAccess;
  private readonly feed: LiveFeed;
  private hasFailed = false;

  private constructor(options: LiveServerOptions) {
    this.options = options;
    this.access = new WebAccess(options.address, options.token);
    this.feed = new LiveFeed({ source: options.source, onProblem: (error) => this.noteProblem(error) });
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Throws a Failure that names the address where it cannot be used. */
  static async open(options: LiveServerOptions): Promise<LiveServer> {
    const running = new LiveServer(options);
    const { host, port } = options.address;
    await new Promise<void>((resolve, reject) => {
      running.server.once('error', (error) =>
        reject(failureOf(error, `--web '${formatAddress(options.address)}'`) ?? error),
      );
      running.server.listen(port, host, resolve);
    });
    // Too many open files, say: the connection is lost, and the process goes on.
    running.server.on('error', () => {});
    return running;
  }

  /** What a person opens, with the token in the part that browsers send nowhere. */
  get url(): string {
    const bound = this.server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : this.options.address.port;
    return `http://${formatAddress({ host: this.options.address.host, port })}/#${encodeURIComponent(this.options.token)}`;
  }

  close(): Promise<void> {
    this.feed.close();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    return closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = request;
    const asking = { method, url, headers };
    // The other end went away: its own affair.
    request.on('error', () => {});
    response.on('error', () => {});
    const path = url.split('?', 1)[0];
    const refusal = this.access.refusal(asking);
    if (refusal !== null) this.refuse(response, refusal);
    else if (path === '/control') await this.change(request, response);
    else if (method !== 'GET' && method !== 'HEAD')
      this.refuse(response, { status: 405, message: 'only GET is allowed here' });
    else if (path === '/') this.sendPage(response);
    else if (path === '/events') this.look(request, response, this.access.lookRefusal(asking));
    else this.refuse(response, { status: 404, message: `there is nothing at ${printable(path.slice(0, 80))}` });
  }

  private sendPage(response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(this.options.page);
  }

  private look(request: IncomingMessage, response: ServerResponse, refusal: Refusal | null): void {
    const full = { status: 503, message: `${MAX_VIEWERS} look already: close a page` };
    const problem = refusal ?? (this.feed.size >= MAX_VIEWERS ? full : null);
    if (problem === null) this.admit(request, response);
    else this.refuse(response, problem);
  }

  private admit(request: IncomingMessage, response: ServerResponse): void {
    const { remoteAddress = '', remotePort = 0 } = request.socket;
    const viewer = {
      take: (text: string) => {
        if (response.writableLength <= MAX_BEHIND_BYTES) response.write(text);
        else this.drop(response, `${remoteAddress}:${remotePort}`);
      },
    };
    this.counts.viewers++;
    request.socket.setNoDelay(true);
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    response.once('close', () => this.feed.remove(viewer));
    // https://html.spec.whatwg.org/multipage/server-sent-events.html#concept-event-stream-reconnection-time: soon, for a process that is started anew.
    response.write('retry: 500\n\n');
    this.feed.add(viewer);
  }

  private drop(response: ServerResponse, name: string): void {
    if (response.destroyed) return;
    this.counts.dropped++;
    this.options.onNotice(`the page at ${name} does not keep up with its samples: its connection was ended`);
    response.destroy();
  }

  private async change(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = request;
    const refusal = this.access.changeRefusal({ method, url, headers });
    if (refusal !== null) return this.refuse(response, refusal);
    const { source } = this.options;
    if (source.change === undefined)
      return this.refuse(response, { status: 403, message: 'nothing can be changed here' });
    const text = await bodyOf(request);
    if (text === null)
      return this.refuse(response, { status: 413, message: `a command has at most ${MAX_COMMAND_BYTES} bytes` });
    try {
      const result = await source.change(JSON.parse(text));
      this.feed.changed();
      sendJson(response, 200, result);
    } catch (error) {
      if (!isCallers(error)) throw error;
      sendJson(response, 400, { error: (error as Error).message });
    }
  }

  private refuse(response: ServerResponse, { status, message }: Refusal): void {
    this.counts.refused++;
    // What comes of its body is not read.
    response.shouldKeepAlive = false;
    sendJson(response, status, { error: message });
  }

  /** A source that is gone fails ten times a second: it is told once. */
  private noteProblem(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.options.onNotice(`the live page gets no samples: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Of the caller's making, and no bug of ours. */
function isCallers(error: unknown): boolean {
  return error instanceof ConfigError || error instanceof Failure || error instanceof SyntaxError;
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** null where it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_COMMAND_BYTES) return null;
      chunks.push(chunk as Buffer);
    }
  } catch {
    // It was broken off; nobody waits for an answer.
    return '';
  }
  return Buffer.concat(chunks).toString();
}
