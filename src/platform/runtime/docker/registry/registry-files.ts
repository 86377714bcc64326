import { createHash, createPublicKey } from 'node:crypto';
import { nodePort, registryHost, type RegistrySettings } from './settings.ts';
import type { DockerRegistryCredentials } from '../api/index.ts';
import { keyOfSeed, writeCertificate } from '../certificate.ts';

/** It can't expire: nobody would renew it. The end is what RFC 5280 has for that. */
const [since, forever] = [Date.UTC(2020, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)];

/**
 * Makes a certificate with its key. A registry and what forwards to it both show it and both require it: who has its
 * key belongs to them. It signs itself, and is always the same for the same seed.
 * @param seed 32 secret bytes
 * @param name the host name that it is for
 * @returns both in PEM format, in one text
 */
export function selfSignedIdentity(seed: Buffer, name: string): string {
  const key = keyOfSeed(seed);
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  // A first byte below 128, and above 0: serial numbers are positive.
  const serial = Buffer.concat([Buffer.from([1]), createHash('sha256').update(publicKey).digest().subarray(0, 15)]);
  return (
    writeCertificate({
      purpose: 'peers',
      subject: name,
      issuer: name,
      serial,
      from: since,
      until: forever,
      key,
      signer: key,
    }) + key.export({ format: 'pem', type: 'pkcs8' })
  );
}

/** What a registry is made with: its settings, and secrets that are always the same for the same purpose. */
export interface RegistryParts {
  readonly platformId: string;
  readonly settings: RegistrySettings;
  /** @param purpose what it is for @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
}

/** A file of a container. All of them are secrets. */
export interface RegistryFile {
  /** A name for the engine, which another content doesn't have, of at most 64 characters. */
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
}

const folder = '/infra-registry';

/** Where the registry keeps images. */
export const imagesFolder = '/var/lib/registry';

/** The host name in the certificate. Nobody looks it up. */
const serverName = 'registry.internal';

const file = ({ platformId }: RegistryParts, name: string, text: string): RegistryFile => {
  const content = Buffer.from(text);
  return {
    name: `infra-registry-${platformId.slice(0, 18)}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`,
    path: `${folder}/${name}`,
    content,
  };
};

/** How engines sign in. */
export const registryCredentials = ({
  settings,
  secretFor,
}: Pick<RegistryParts, 'settings' | 'secretFor'>): DockerRegistryCredentials => ({
  username: 'platform',
  password: secretFor('registry/password'),
  serveraddress: registryHost(settings),
});

/** The header by which a request signs in. */
export function authorizationOf(parts: Pick<RegistryParts, 'settings' | 'secretFor'>): string {
  const { username, password } = registryCredentials(parts);
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The certificate and its key, which registry and forwarders have. */
const identityFile = (parts: RegistryParts): RegistryFile =>
  file(
    parts,
    'identity.pem',
    selfSignedIdentity(Buffer.from(parts.secretFor('registry/identity'), 'base64url'), serverName),
  );

/** The files of the registry, its configuration first. @param isReadOnly whether it takes no images for now */
export function registryFiles(parts: RegistryParts, isReadOnly: boolean): readonly [RegistryFile, RegistryFile] {
  const identity = identityFile(parts);
  const config = {
    version: '0.1',
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: imagesFolder },
      delete: { enabled: true },
      maintenance: {
        readonly: { enabled: isReadOnly },
        uploadpurging: { enabled: true, age: '24h', interval: '1h', dryrun: false },
      },
    },
    http: {
      addr: `:${nodePort(parts.settings)}`,
      relativeurls: true,
      secret: parts.secretFor('registry/uploads'),
      tls: { certificate: identity.path, key: identity.path, clientcas: [identity.path] },
    },
  };
  // JSON is YAML.
  return [file(parts, 'registry.yml', JSON.stringify(config)), identity];
}

/**
 * The files of what forwards to the registry, its configuration first.
 * @param address of the node that keeps the images
 */
export function forwarderFiles(parts: RegistryParts, address: string): readonly [RegistryFile, RegistryFile] {
  const identity = identityFile(parts);
  const forward = {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `${address.includes(':') ? `[${address}]` : address}:${nodePort(parts.settings)}` }],
    // A registry that is just replaced is back within seconds.
    load_balancing: { try_duration: '20s', try_interval: '250ms' },
    transport: {
      protocol: 'http',
      dial_timeout: '3s',
      tls: {
        server_name: serverName,
        root_ca_pem_files: [identity.path],
        client_certificate_file: identity.path,
        client_certificate_key_file: identity.path,
      },
    },
  };
  const refuse = {
    handler: 'static_response',
    status_code: 401,
    headers: { 'Www-Authenticate': ['Basic realm="registry"'], 'Docker-Distribution-Api-Version': ['registry/2.0'] },
  };
  const config = {
    admin: { disabled: true, config: { persist: false } },
    logging: { logs: { default: { level: 'WARN' } } },
    apps: {
      http: {
        servers: {
          registry: {
            listen: [registryHost(parts.settings)],
            protocols: ['h1'],
            automatic_https: { disable: true },
            routes: [
              { match: [{ header: { Authorization: [authorizationOf(parts)] } }], handle: [forward], terminal: true },
              { handle: [refuse] },
            ],
          },
        },
      },
    },
  };
  return [file(parts, 'forwarder.json', JSON.stringify(config)), identity];
}
