import { XpassError } from '../base/errors.js';
import { type Address, formatAddress, parseAddress } from '../udp/address.js';
import { MAX_HOST_ID } from '../wire/layout.js';
import { DEFAULT_HOST_PORT } from './host-settings.js';

/**
 * What a name of a peer means: a host id behind a switch, an address in direct mode, or the number that a host has given for one. Throws XpassError
 * `config` that says what is allowed.
 */
export function parsePeer(to: string | number | Address, isSwitched: boolean): number | Address {
  if (!isSwitched) {
    if (typeof to === 'number') return to;
    // Programs in JavaScript also give ports as texts, and things that are no address.
    if (typeof to === 'object' && to !== null) {
      const checked = parseAddress(formatAddress(to));
      return checked.port === to.port ? to : checked;
    }
    if (typeof to !== 'string')
      throw new XpassError('config', `peer ${String(to)} is not allowed; allowed: HOST:PORT or { host, port }`);
    if (!/^\d+$/.test(to)) return parseAddress(to, { port: DEFAULT_HOST_PORT });
    throw new XpassError('config', `host id ${to} needs a switch; without one write HOST or HOST:PORT`);
  }
  const hostId = Number(to);
  if (Number.isInteger(hostId) && hostId >= 1 && hostId <= MAX_HOST_ID) return hostId;
  throw new XpassError(
    'config',
    `host '${typeof to === 'object' && to !== null ? formatAddress(to) : to}' is not allowed behind a switch; allowed: a host id from 1 to ${MAX_HOST_ID}`,
  );
}
