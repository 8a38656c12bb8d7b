import type { ValueKind } from '../base/value-kind.js';
import { XpassError } from '../core/errors.js';
import { type Address, type AddressDefaults, formatAddress, parseAddress } from '../udp/address.js';

/** A UDP address as an option's value; the grammar is that of udp/address.ts. A part that has a default may be left out. */
export function address(defaults: AddressDefaults = {}): ValueKind<Address> {
  const forms = ['HOST:PORT', '[IPV6]:PORT'];
  if (defaults.host !== undefined) forms.push(`:PORT (of ${defaults.host})`);
  if (defaults.port !== undefined) forms.push(`HOST (port ${defaults.port})`);
  const ports = `ports ${defaults.anyPort === true ? '0 (any free one)' : '1'} to 65535`;
  return {
    allowed: `${forms.join(', ')}; ${ports}`,
    parse: (text) => {
      if (text === '') return undefined;
      try {
        return parseAddress(text, defaults);
      } catch (error) {
        if (error instanceof XpassError) return undefined;
        throw error;
      }
    },
    format: formatAddress,
  };
}
