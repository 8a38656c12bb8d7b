/** Who may look at a live page and who may change what it shows: rules about requests, without a socket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isSameToken } from '../../../services/control/token.js';
import { type Address, isLoopback } from '../../../udp/address.js';

export interface Asking {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Why a request is turned away: a status of HTTP and a sentence. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const NO_TOKEN = 'the token is missing or wrong: open the page by the address that the process printed';

export class WebAccess {
  private readonly address: Address;
  private readonly token: string;

  /** `address`: as it was asked for, a name included. */
  constructor(address: Address, token: string) {
    this.address = address;
    // As the address has it, whatever somebody wrote into a file.
    this.token = encodeURIComponent(token);
  }

  /** Beyond this machine looking needs the token, too. */
  get needsTokenToLook(): boolean {
    return !isLoopback(this.address);
  }

  /** For every request; null lets it through. */
  refusal(asking: Asking): Refusal | null {
    if (this.isOwnHost(asking.headers.host)) return null;
    return { status: 421, message: 'the Host of the request is no address of this page' };
  }

  /** Of the stream of samples, whose reader can set no header. */
  lookRefusal({ url }: Asking): Refusal | null {
    if (!this.needsTokenToLook) return null;
    const given = new URL(url, 'http://page').searchParams.get('token');
    return isSameToken(given, this.token) ? null : { status: 401, message: NO_TOKEN };
  }

  /** Of a command. A page of elsewhere can send neither this content type nor this header without being asked first, and is not answered then. */
  changeRefusal({ method, headers }: Asking): Refusal | null {
    if (method !== 'POST') return { status: 405, message: 'commands come by POST' };
    if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
      return { status: 403, message: 'commands come from this page alone' };
    }
    if (headers['content-type']?.split(';')[0] !== 'application/json') {
      return { status: 415, message: 'a command is application/json' };
    }
    const [, given] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    return isSameToken(given, this.token) ? null : { status: 401, message: NO_TOKEN };
  }

  /** A name that somebody else's DNS may point here is none of ours; an address cannot be pointed anywhere. */
  private isOwnHost(host: string | undefined): boolean {
    const name = hostName(host);
    return name !== null && (isIP(name) !== 0 || name === 'localhost' || name === this.address.host.toLowerCase());
  }
}

/** Without port and brackets. */
function hostName(host: string | undefined): string | null {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host ?? '') ?? [];
  return (bracketed ?? plain)?.toLowerCase() ?? null;
}
