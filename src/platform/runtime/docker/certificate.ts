import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/*
 * X.509 certificates (RFC 5280) with Ed25519 keys (RFC 8410), in DER. They are only written here: TLS libraries read
 * and check them.
 */

/** A DER element: its tag, its length, and its content. */
function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const size =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...content: readonly Buffer[]): Buffer => element(0x30, ...content);
const octets = (content: Buffer): Buffer => element(0x04, content);
/** A bit string of whole bytes. */
const bits = (content: Buffer): Buffer => element(0x03, Buffer.from([0]), content);
const yes = element(0x01, Buffer.from([0xff]));

/** Object identifiers, encoded. */
const identifiers = {
  ed25519: '2b6570',
  commonName: '550403',
  keyUsage: '551d0f',
  subjectAlternativeName: '551d11',
  basicConstraints: '551d13',
  extendedKeyUsage: '551d25',
  server: '2b06010505070301',
  client: '2b06010505070302',
} as const;
const identifier = (name: keyof typeof identifiers): Buffer => element(0x06, Buffer.from(identifiers[name], 'hex'));

/** A time: the year has two digits until 2049, and four from then on. @param at milliseconds since the epoch */
function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`;
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}

const nameOf = (common: string): Buffer =>
  sequence(element(0x31, sequence(identifier('commonName'), element(0x0c, Buffer.from(common)))));

const extension = (name: keyof typeof identifiers, value: Buffer): Buffer =>
  sequence(identifier(name), yes, octets(value));

/** Bits of the key usage: the first is the most significant. */
const usages = { signs: 0x80, signsCertificates: 0x04 } as const;
const keyUsage = (usage: number, unused: number): Buffer =>
  extension('keyUsage', element(0x03, Buffer.from([unused, usage])));

/** The purpose of a certificate. One for peers is presented by both sides, which trust no other. */
export type CertificatePurpose = 'authority' | 'server' | 'client' | 'peers';

const hostName = (name: string): Buffer =>
  sequence(identifier('subjectAlternativeName'), octets(sequence(element(0x82, Buffer.from(name)))));

const extensionsFor = (purpose: CertificatePurpose, subject: string): readonly Buffer[] => {
  if (purpose === 'authority')
    return [extension('basicConstraints', sequence(yes)), keyUsage(usages.signsCertificates, 2)];
  if (purpose === 'peers') return [hostName(subject)];
  return [
    extension('basicConstraints', sequence()),
    keyUsage(usages.signs, 7),
    extension('extendedKeyUsage', sequence(identifier(purpose))),
    hostName(subject),
  ];
};

/** A certificate to write. */
interface CertificateParts {
  readonly purpose: CertificatePurpose;
  /** The names of the holder and of the signer. */
  readonly subject: string;
  readonly issuer: string;
  /** The serial number, unique per issuer: 1 to 20 bytes, the first between 1 and 127. */
  readonly serial: Buffer;
  /** In milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** The key of the holder: private or public. */
  readonly key: KeyObject;
  /** The private key of the signer. */
  readonly signer: KeyObject;
}

/** Writes and signs a certificate with Ed25519 keys. @returns it in PEM format */
export function writeCertificate({
  purpose,
  subject,
  issuer,
  serial,
  from,
  until,
  key,
  signer,
}: CertificateParts): string {
  const algorithm = sequence(identifier('ed25519'));
  const publicKey = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  const version3 = element(0xa0, element(0x02, Buffer.from([2])));
  const content = sequence(
    version3,
    element(0x02, serial),
    algorithm,
    nameOf(issuer),
    sequence(time(from), time(until)),
    nameOf(subject),
    publicKey,
    element(0xa3, sequence(...extensionsFor(purpose, subject))),
  );
  const base64 = sequence(content, algorithm, bits(sign(null, content, signer))).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the Ed25519 key of a seed, always the same for the same seed. @param seed 32 secret bytes */
export const keyOfSeed = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([keyPrefix, seed]), format: 'der', type: 'pkcs8' });
