import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { selfSignedIdentity } from '../../../../src/platform/runtime/docker/registry/registry-files.ts';

const name = 'registry.internal';
const identity = selfSignedIdentity(Buffer.alloc(32, 7), name);
const other = selfSignedIdentity(Buffer.alloc(32, 8), name);

/**
 * What a server that requires the identity says to a client.
 * @param shown what the client shows
 * @param trusted whom it trusts
 */
async function greeting(shown: string | undefined, trusted = identity): Promise<string> {
  const server = createServer(
    { cert: identity, key: identity, ca: identity, requestCert: true, rejectUnauthorized: true },
    (socket) => socket.end('welcome'),
  );
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    servername: name,
    ca: trusted,
    ...(shown !== undefined && { cert: shown, key: shown }),
  });
  return Promise.race([
    once(socket, 'data').then(([data]) => String(data)),
    once(socket, 'close').then(() => 'refused'),
  ]).catch((error: unknown) => (error instanceof Error ? error.message : 'refused'));
}

test('the same seed makes the same certificate, which signs itself and is for the name', () => {
  expect(selfSignedIdentity(Buffer.alloc(32, 7), name)).toBe(identity);
  expect(other).not.toBe(identity);
  const certificate = new X509Certificate(identity);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkHost(name)).toBe(name);
  expect(certificate.validTo).toBe('Dec 31 23:59:59 9999 GMT');
  expect(BigInt(`0x${certificate.serialNumber}`)).toBeGreaterThan(0n);
});

test('who has it is let in, and nobody else', async () => {
  expect(await greeting(identity)).toBe('welcome');
  expect(await greeting(other)).toMatch(/refused|alert|ECONNRESET/);
  expect(await greeting(undefined)).toMatch(/refused|alert|ECONNRESET/);
  expect(await greeting(identity, other)).toMatch(/self-signed certificate/);
});
