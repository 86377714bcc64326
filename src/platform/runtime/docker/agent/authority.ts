import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { keyOfSeed, writeCertificate } from '../certificate.ts';

/** A certificate with its key, in PEM format. */
export interface AgentCertificate {
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The authority that signs the certificates of a platform's agents, and of the platform itself. */
export interface AgentAuthority {
  /** Its own certificate, in PEM format. It is always the same for the same secret. */
  readonly certificate: string;
  /**
   * Issues a certificate with a new key.
   * @param lifetime how long it is valid, in milliseconds
   * @param now milliseconds since the epoch
   */
  issue(purpose: 'server' | 'client', lifetime: number, now: number): AgentCertificate;
}

/** The name in the agents' certificates. Platforms expect it, whichever node they connect to. */
export const agentName = 'infra-agent';

const authorityName = 'agents of infra-mcp';

/** How far the clocks of two machines may differ, in milliseconds. */
const clockDifference = 3_600_000;

/**
 * The authority is as old as this program, and lasts as long as its secret. With fixed times, its certificate is always
 * the same.
 */
const [since, forever] = [Date.UTC(2026, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)];

const newSerial = (): Buffer => Buffer.from([1, ...randomBytes(15)]);

/** Creates the authority of a platform. @param secret 32 bytes that only the platform has */
export function createAgentAuthority(secret: Buffer): AgentAuthority {
  const signer = keyOfSeed(secret);
  const certificate = writeCertificate({
    purpose: 'authority',
    subject: authorityName,
    issuer: authorityName,
    serial: Buffer.from([1]),
    from: since,
    until: forever,
    key: signer,
    signer,
  });
  return {
    certificate,
    issue: (purpose, lifetime, now) => {
      const { privateKey: key } = generateKeyPairSync('ed25519');
      const until = now + lifetime;
      const cert = writeCertificate({
        purpose,
        subject: purpose === 'server' ? agentName : 'infra-platform',
        issuer: authorityName,
        serial: newSerial(),
        from: now - clockDifference,
        until,
        key,
        signer,
      });
      return { cert, key: key.export({ type: 'pkcs8', format: 'pem' }), until };
    },
  };
}
