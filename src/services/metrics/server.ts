import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import { type Address, formatAddress } from '../../udp/address.js';
import type { Exposition } from './exporter.js';

export interface MetricsServerOptions {
  readonly listen: Address;
  scrape(isOpenMetrics: boolean): Promise<Exposition>;
  /** Why the process does not do its work now; null while it does. */
  trouble(): string | null;
}

/** Scrapers at a time; one more is turned away (ours: a pair of Prometheus servers, a person, and room). */
const MOST_CONNECTIONS = 16;
/** A request has to be whole by then, and an answer read: a scraper that does neither loses its connection (ours: Prometheus gives a scrape 10 s). */
const TIMEOUT_MS = 10_000;
/** How often Node.js looks for connections that are late. */
const CHECK_MS = 1_000;
/** Ours: a scraper's request has a few hundred bytes. */
const MOST_HEADER_BYTES = 8_192;

const TEXT = 'text/plain; charset=utf-8';

type Route = (request: IncomingMessage) => Promise<Answer> | Answer;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Answers `/metrics` and `/healthz`. What a client can make it hold is bounded: connections, header, and one answer for each. docs/decisions/0028 */
export class MetricsServer {
  private readonly server: Server;
  private readonly routes: ReadonlyMap<string, Route>;

  private constructor({ scrape, trouble }: MetricsServerOptions) {
    this.routes = new Map<string, Route>([
      ['/metrics', async ({ headers }) => ({ status: 200, ...(await scrape(wantsOpenMetrics(headers.accept))) })],
      ['/healthz', () => healthAnswer(trouble())],
    ]);
    this.server = createServer(
      {
        maxHeaderSize: MOST_HEADER_BYTES,
        requestTimeout: TIMEOUT_MS,
        headersTimeout: TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_MS,
      },
      (request, response) => void this.answer(request, response),
    );
    this.server.maxConnections = MOST_CONNECTIONS;
    // One answer a connection: what a client asks for ahead would wait in memory.
    this.server.maxRequestsPerSocket = 1;
    this.server.on('connection', endInTime);
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  /** Throws a Failure that names the address where it cannot be had. */
  static async listen(options: MetricsServerOptions): Promise<MetricsServer> {
    const { host, port } = options.listen;
    const metrics = new MetricsServer(options);
    metrics.server.listen({ host, port });
    try {
      await once(metrics.server, 'listening');
    } catch (error) {
      const failure = failureOf(error, `--metrics ${formatAddress(options.listen)}`);
      throw failure === null ? error : new Failure(ExitCode.usage, failure.message);
    }
    return metrics;
  }

  /** Where it listens. */
  get address(): Address {
    const { address, port } = this.server.address() as AddressInfo;
    return { host: address, port };
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, text } = await this.answerTo(request);
    const isAllowed = status !== 405;
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
      'cache-control': 'no-store',
      ...(!isAllowed && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }

  private async answerTo(request: IncomingMessage): Promise<Answer> {
    const { method, url = '' } = request;
    const route = this.routes.get(url.split('?', 1)[0]);
    if (route === undefined) return plain(404, 'not here; allowed: /metrics, /healthz\n');
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'allowed: GET, HEAD\n');
    return route(request);
  }
}

/** Also while an answer waits for its reader. */
function endInTime(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
}

function plain(status: number, text: string): Answer {
  return { status, contentType: TEXT, text };
}

function healthAnswer(trouble: string | null): Answer {
  return trouble === null ? plain(200, 'ok\n') : plain(503, `${trouble}\n`);
}

/** Prometheus asks for both formats with weights; whoever does not name OpenMetrics, or gives it the weight 0, gets plain text. */
export function wantsOpenMetrics(accept = ''): boolean {
  const weights = accept.split(',').map((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((each) => each.startsWith('q='));
    return { type, weight: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
  const open = weightOf(weights, ['application/openmetrics-text']);
  return open > 0 && open >= weightOf(weights, ['text/plain', 'text/*']);
}

function weightOf(ranges: readonly { type: string; weight: number }[], types: readonly string[]): number {
  return Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
}
