import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../src/apps/bench/peers/certificate.js';

describe('the certificate of the peer that wants one', () => {
  it('is one that Node reads, for the name, signed by its own key, and good today', () => {
    const { key, cert } = selfSigned('localhost');
    const certificate = new X509Certificate(cert);
    expect([certificate.subject, certificate.issuer]).toEqual(['CN=localhost', 'CN=localhost']);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now());
  });

  it('has lengths beyond 127 and 255 bytes right', () => {
    for (const length of [100, 200]) {
      const name = 'a'.repeat(length);
      expect(new X509Certificate(selfSigned(name).cert).subject).toBe(`CN=${name}`);
    }
  });
});
