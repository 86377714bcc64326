import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  addressFaultText,
  condition,
  type DataOf,
  type ParsedAddress,
  readGitAddress,
} from '../../../../contract/index.ts';
import { proxyFor } from '../../../../outgoing/index.ts';
import { isPublicAddress } from '../../../common/index.ts';
import { ConditionError, type GitHosts, type GitHost, type GitTokenInput } from '../../index.ts';

type Scheme = 'https' | 'http' | 'ssh';

/** The parsed address of a repository. Git gets the address that is assembled from its parts. */
export interface GitAddress extends ParsedAddress {
  readonly scheme: Scheme;
  readonly port: number;
}

const ports: Readonly<Record<Scheme, number>> = { https: 443, http: 80, ssh: 22 };

/**
 * Reads the address of a repository.
 * @returns the address, or why it can't be used, as a sentence
 */
export function parseGitAddress(text: string): GitAddress | string {
  const read = readGitAddress(text);
  if (typeof read === 'string') return `The address of the repository ${addressFaultText(read)}.`;
  const scheme = read.scheme as Scheme;
  return { ...read, scheme, port: read.port ?? ports[scheme] };
}

const lookupFailures: Readonly<Record<string, NonNullable<DataOf<'GIT_UNREACHABLE'>['why']>>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'not looked up',
  ENODATA: 'no address',
};

const addressesOf = async ({ hostname }: GitAddress): Promise<readonly string[]> => {
  if (isIP(hostname) !== 0) return [hostname];
  const found = await lookup(hostname, { all: true }).catch((error: NodeJS.ErrnoException) => {
    const why = lookupFailures[error.code ?? ''];
    throw new ConditionError(
      condition('GIT_UNREACHABLE', { host: hostname, ...(why === undefined ? { said: error.message } : { why }) }),
      { cause: error },
    );
  });
  return found.map(({ address }) => address);
};

/**
 * The IP addresses at which a git server may be contacted. Git is configured to use these, so that a name server can't
 * give it different ones. A proxy resolves the name by itself: behind one, the server's certificate proves that it is
 * the host that was checked here. A private host need not be known here then, and the list is empty.
 * @throws ConditionError for a host that doesn't exist, or is private without permission
 */
export async function allowedAddresses(hosts: GitHosts, address: GitAddress): Promise<readonly string[]> {
  const { isPrivate = false } = gitHostOf(hosts, address.host);
  if (address.scheme === 'http' && !isPrivate)
    throw new ConditionError(condition('GIT_HOST_NOT_ALLOWED', { host: address.host }));
  if (isPrivate && address.scheme !== 'ssh' && proxyFor(address.url) !== undefined) return [];
  const addresses = await addressesOf(address);
  const refused = isPrivate ? undefined : addresses.find((each) => !isPublicAddress(each));
  if (refused !== undefined) {
    throw new ConditionError(condition('GIT_HOST_NOT_ALLOWED', { host: address.host, address: refused }));
  }
  return addresses;
}

/** The settings of a host. */
export const gitHostOf = (hosts: GitHosts, host: string): GitHost => (Object.hasOwn(hosts, host) ? hosts[host]! : {});

/**
 * The git servers, where a service's own token replaces the operator's. Addresses of ssh have no tokens.
 * @throws Error if the token is for another server
 */
export function hostsWithToken(
  hosts: GitHosts,
  { scheme, host }: Pick<GitAddress, 'scheme' | 'host'>,
  given: GitTokenInput | undefined,
): GitHosts {
  if (given === undefined || scheme === 'ssh') return hosts;
  if (given.host !== host)
    throw new Error(
      `The git token ${given.name} is for ${given.host}, and the repository is at ${host}: choose a token for that server.`,
    );
  return { ...hosts, [host]: { ...gitHostOf(hosts, host), token: given.token } };
}

/** A request for a source. Failures are explained by it. */
export interface GitRequest {
  readonly address: GitAddress;
  readonly branch: string;
  readonly commitId?: string;
}
