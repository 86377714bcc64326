import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { writeCertificate } from '../../src/platform/runtime/docker/certificate.ts';

const day = 86_400_000;

/**
 * Starts an https server on loopback whose certificate is for another host name. It ends with the test.
 * @returns its port, and the certificate of the authority that signed its own, in PEM format
 */
export async function startHttpsHost(
  name: string,
  listener: RequestListener,
): Promise<{ readonly port: number; readonly authority: string }> {
  const [signer, key] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('ed25519').privateKey];
  const common = { issuer: 'test authority', from: Date.now() - day, until: Date.now() + day, signer };
  const authority = writeCertificate({
    ...common,
    purpose: 'authority',
    subject: 'test authority',
    serial: Buffer.from([1]),
    key: signer,
  });
  const cert = writeCertificate({ ...common, purpose: 'server', subject: name, serial: Buffer.from([2]), key });
  const server = createServer({ cert, key: key.export({ type: 'pkcs8', format: 'pem' }) }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, authority };
}
