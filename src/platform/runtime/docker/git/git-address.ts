import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '../../../common/index.ts';
import { type GitHosts, gitHostOf } from './git-hosts.ts';

/** The address of a repository, in its parts. */
export interface GitAddress {
  /** As it was given, for git. */
  readonly url: string;
  readonly scheme: 'https' | 'http' | 'ssh';
  /** The host, with the port if the address has one: the name by which hosts are configured. */
  readonly host: string;
  readonly hostname: string;
  readonly port: number;
}

const ports = { https: 443, http: 80, ssh: 22 } as const;

const hostnamePattern = /^(?:[a-z0-9](?:[\w.-]*[a-z0-9])?|\[[\da-f:.]+\])$/i;

/** The form that ssh has of its own: user, host and path. */
const shortSsh = /^[\w.-]+@(?<hostname>[^\s:/]+):(?!\/\/)\S+$/;

/**
 * Reads the address of a repository.
 * @returns the address, or why it can't be used, as a sentence
 */
export function parseGitAddress(url: string): GitAddress | string {
  const short = shortSsh.exec(url)?.groups?.['hostname'];
  const parsed = short === undefined ? URL.parse(url) : URL.parse(`ssh://${short}`);
  const scheme = parsed?.protocol.slice(0, -1);
  if (!parsed || (scheme !== 'https' && scheme !== 'http' && scheme !== 'ssh')) return 'The address of a repository begins with https://, http:// or ssh://, or is like git@host:owner/repository.git.';
  if (parsed.password !== '' || (scheme !== 'ssh' && parsed.username !== '')) {
    return 'The address of the repository has credentials in it, which everybody would see. Give it without them: whoever runs the platform configures them for the host.';
  }
  if (parsed.search !== '' || parsed.hash !== '') return 'The address of a repository has no "?" or "#" in it: give the branch by its own name.';
  if (!hostnamePattern.test(parsed.hostname)) return 'The address of the repository has no valid host name.';
  return { url, scheme, host: parsed.host, hostname: parsed.hostname.replace(/^\[|\]$/g, ''), port: parsed.port === '' ? ports[scheme] : Number(parsed.port) };
}

const lookupReasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist', EAI_AGAIN: 'the host name could not be looked up', ENODATA: 'the host name has no address',
};

const addressesOf = async ({ hostname }: GitAddress): Promise<readonly string[]> => {
  if (isIP(hostname) !== 0) return [hostname];
  const found = await lookup(hostname, { all: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The git server ${hostname} can't be reached: ${lookupReasons[error.code ?? ''] ?? error.message}.`, { cause: error });
  });
  return found.map(({ address }) => address);
};

/**
 * The IP addresses at which a git server may be asked. Git is told to use these, so that a name server can't answer it otherwise.
 * @throws Error in words, for a host that doesn't exist, or one that is private and not allowed to be
 */
export async function allowedAddresses(hosts: GitHosts, address: GitAddress): Promise<readonly string[]> {
  const { isPrivate = false } = gitHostOf(hosts, address.host);
  if (address.scheme === 'http' && !isPrivate) throw new Error(`Repositories are not fetched over plain http from ${address.host}: use https.`);
  const addresses = await addressesOf(address);
  const refused = isPrivate ? undefined : addresses.find((each) => !isPublicAddress(each));
  if (refused !== undefined) {
    throw new Error(`Repositories are not fetched from ${address.host}: ${refused} is a private address. Whoever runs the platform can allow the host, with "private: true" under "git" in the clusters file.`);
  }
  return addresses;
}
