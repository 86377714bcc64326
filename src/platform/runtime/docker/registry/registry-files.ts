import { createHash, createPublicKey } from 'node:crypto';
import { nodePort, registryHost, type RegistrySettings } from './settings.ts';
import type { DockerRegistryCredentials } from '../api/index.ts';
import { keyOfSeed, writeCertificate } from '../certificate.ts';

/** The certificate must not expire, because nothing renews it. RFC 5280 defines this end for that. */
const [since, forever] = [Date.UTC(2020, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59)];

/**
 * Creates a certificate with its key. The registry and its forwarders both present it and both require it: a peer with
 * the key is trusted. It is self-signed, and always the same for the same seed.
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

/** The inputs of a registry: its settings, and secrets that are always the same for the same purpose. */
export interface RegistryParts {
  readonly platformId: string;
  readonly settings: RegistrySettings;
  /** Returns the secret for a purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
}

/** A file of a container. All of them are secrets. */
export interface RegistryFile {
  /** A name for the engine, unique to the content, of at most 64 characters. */
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
}

const folder = '/infra-registry';

/** The folder in which the registry stores images. */
export const imagesFolder = '/var/lib/registry';

/** The host name in the certificate. It is never resolved. */
const serverName = 'registry.internal';

const file = ({ platformId }: RegistryParts, name: string, text: string): RegistryFile => {
  const content = Buffer.from(text);
  return {
    name: `infra-registry-${platformId.slice(0, 18)}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`,
    path: `${folder}/${name}`,
    content,
  };
};

/** The credentials with which engines sign in. */
export const registryCredentials = ({
  settings,
  secretFor,
}: Pick<RegistryParts, 'settings' | 'secretFor'>): DockerRegistryCredentials => ({
  username: 'platform',
  password: secretFor('registry/password'),
  serveraddress: registryHost(settings),
});

/** Returns the value of the `Authorization` header for a request. */
export function authorizationOf(parts: Pick<RegistryParts, 'settings' | 'secretFor'>): string {
  const { username, password } = registryCredentials(parts);
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The certificate and its key, which the registry and the forwarders share. */
const identityFile = (parts: RegistryParts): RegistryFile =>
  file(
    parts,
    'identity.pem',
    selfSignedIdentity(Buffer.from(parts.secretFor('registry/identity'), 'base64url'), serverName),
  );

/** The files of the registry, its configuration first. @param isReadOnly whether it accepts no images for now */
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
 * The files of a forwarder to the registry, its configuration first.
 * @param address of the node that stores the images
 */
export function forwarderFiles(parts: RegistryParts, address: string): readonly [RegistryFile, RegistryFile] {
  const identity = identityFile(parts);
  const forward = {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `${address.includes(':') ? `[${address}]` : address}:${nodePort(parts.settings)}` }],
    // A registry that is being replaced is back within seconds.
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
