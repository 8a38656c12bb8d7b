import { describe, expect, it } from 'vitest';
import type { UdpAddress } from '../../src/udp/address.js';
import { mtuWarning, unprobedBytes, unseenFragmentsWarning } from '../../src/udp/interface-mtu.js';

const IPV4: UdpAddress = { address: '192.0.2.7', port: 1, family: 4 };
const IPV6: UdpAddress = { address: '2001:db8::7', port: 1, family: 6 };
const vpn = () => ({ name: 'tun0', mtuBytes: 1400 });

describe('a frame that does not fit the MTU', () => {
  it.each([
    [IPV4, 1372],
    [IPV6, 1352],
  ])('is told of with the frame size that fits: %j', (local, fitting) => {
    expect(mtuWarning(local, fitting, vpn)).toBeNull();
    const warning = mtuWarning(local, fitting + 1, vpn);
    expect(warning).toContain(`frames of ${fitting + 1} bytes do not fit the MTU of 1400 of interface tun0`);
    expect(warning).toMatch(new RegExp(`--frame-size ${fitting}$`));
  });

  it('is not told of where the system does not tell the MTU, or the address is of no one interface', () => {
    expect(mtuWarning(IPV4, 9_000, () => null)).toBeNull();
    expect(mtuWarning({ address: '0.0.0.0', port: 1, family: 4 }, 60_000)).toBeNull();
  });

  it('is not one on the loopback interface, whose MTU is 65,536', () => {
    expect(mtuWarning({ address: '127.0.0.1', port: 1, family: 4 }, 8_972)).toBeNull();
  });
});

describe('frames that may go before a probe', () => {
  it('are as long as Ethernet or the interface carries, by family', () => {
    const sizes = [9_000, 1_300, null].flatMap((mtuBytes) =>
      ([4, 6] as const).map((family) =>
        unprobedBytes({ address: 'any', port: 1, family }, () =>
          mtuBytes === null ? null : { name: 'eth0', mtuBytes },
        ),
      ),
    );
    expect(sizes).toEqual([1_472, 1_452, 1_272, 1_252, 1_472, 1_452]);
  });

  it('are warned of where they are longer and nobody sees fragments, but on this machine', () => {
    const warningOf = (address: string, bytes: number) =>
      unseenFragmentsWarning({ address, port: 1, family: 4 }, bytes) !== null;
    expect([warningOf('0.0.0.0', 1_473), warningOf('0.0.0.0', 1_472), warningOf('127.0.0.1', 8_972)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
