import { createHash, createPublicKey } from 'node:crypto';
import { keyOfSeed, writeCertificate } from '../certificate.ts';

/** It can't expire: nobody would renew it. The end is what RFC 5280 has for that. */
const [since, forever] = [Date.UTC(2020, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)];

/**
 * Makes a certificate with its key. A registry and what forwards to it both show it and both require it: who has its key belongs to them.
 * It signs itself, and is always the same for the same seed.
 * @param seed 32 secret bytes
 * @param name the host name that it is for
 * @returns both in PEM format, in one text
 */
export function selfSignedIdentity(seed: Buffer, name: string): string {
  const key = keyOfSeed(seed);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  // A first byte below 128, and above 0: serial numbers are positive.
  const serial = Buffer.concat([Buffer.from([1]), createHash('sha256').update(publicKey).digest().subarray(0, 15)]);
  return writeCertificate({ purpose: 'peers', subject: name, issuer: name, serial, from: since, until: forever, key, signer: key }) + key.export({ format: 'pem', type: 'pkcs8' });
}
