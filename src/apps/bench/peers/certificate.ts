import { generateKeyPairSync, sign } from 'node:crypto';

/** Object identifiers in DER: ecdsa-with-SHA256 (RFC 5758) and commonName (X.520). */
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const Tag = {
  integer: 0x02,
  bits: 0x03,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
};
const DAY_MS = 86_400_000;

/**
 * A key and a certificate that it signs itself, both PEM: QUIC has no connection without, and Node.js makes keys but no certificates. Good for two
 * days. RFC 5280, section 4.1
 */
export function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(der(Tag.oid, Buffer.from(ECDSA_WITH_SHA256)));
  const subject = sequence(
    der(Tag.set, sequence(der(Tag.oid, Buffer.from(COMMON_NAME)), der(Tag.utf8, Buffer.from(name)))),
  );
  const body = sequence(
    der(Tag.version, der(Tag.integer, Buffer.of(2))),
    der(Tag.integer, Buffer.of(1)),
    algorithm,
    subject,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(Tag.bits, Buffer.of(0), sign('sha256', body, privateKey));
  const certificate = sequence(body, algorithm, signature)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(Tag.sequence, ...parts);
}

/** A tag, the length, the contents. X.690, section 8.1 */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const contents = Buffer.concat(parts);
  const { length } = contents;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), contents]);
}

/** YYMMDDHHMMSSZ */
function utcTime(ms: number): Buffer {
  return der(Tag.utcTime, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}
