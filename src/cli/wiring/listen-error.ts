import { isIP, BlockList, isIPv6 } from 'node:net';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { clean } from '../../server/redaction/index.ts';

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number;
  readonly name: string;
}

/** TCP_LISTEN in /proc/net/tcp. */
const listening = '0A';

/** Parses an address from the system's tables, whose 32-bit words are in the machine's byte order. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  return bytes.length === 4 ? bytes.join('.') : bytes.toString('hex').match(/.{4}/g)!.join(':');
}

/**
 * The addresses whose listeners conflict with an address: that address and the wildcards, or all addresses of a
 * wildcard's families.
 */
function keepingFrom(address: string): BlockList {
  const list = new BlockList();
  list.addAddress('::', 'ipv6');
  list.addAddress('0.0.0.0', 'ipv4');
  list.addAddress(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (['::', '0.0.0.0'].includes(address)) list.addSubnet('0.0.0.0', 0, 'ipv4');
  if (address === '::') list.addSubnet('::', 0, 'ipv6');
  return list;
}

/** The inodes of the listening sockets that conflict with an address and port, from the system's tables. */
async function listeningSockets(address: string, port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(join('/proc/net', table), 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) =>
    table
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)),
  );
  const keeping = keepingFrom(address);
  return new Set(
    rows.flatMap(([, local = '', , state, , , , , , inode = '']) => {
      const [theirs = '', theirPort = ''] = local.split(':');
      if (state !== listening || Number.parseInt(theirPort, 16) !== port) return [];
      return keeping.check(addressOf(theirs), theirs.length === 8 ? 'ipv4' : 'ipv6') ? [inode] : [];
    }),
  );
}

/** The sockets among these that a process has open; none if the system doesn't report them. */
const heldBy = async (pid: string, sockets: ReadonlySet<string>): Promise<readonly string[]> => {
  const folder = join('/proc', pid, 'fd');
  const files = await readdir(folder).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => '')));
  return targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '').filter((inode) => sockets.has(inode));
};

/**
 * The process whose listening socket occupies an address and port.
 * @param address the numeric address that the failed attempt reports.
 * @returns undefined if the system doesn't report it, or only to an administrator, or if several processes qualify,
 * because the user may stop the wrong one.
 */
export async function portHolder(address: string, port: number): Promise<PortHolder | undefined> {
  const sockets = await listeningSockets(address, port);
  if (sockets.size === 0) return undefined;
  const holders: { readonly pid: string; readonly held: readonly string[] }[] = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    // One by one, because a machine may have thousands of processes with many files each.
    const held = await heldBy(pid, sockets);
    if (held.length > 0) holders.push({ pid, held });
  }
  const [holder, ...others] = holders;
  // A socket with an unknown process could be the one.
  if (!holder || others.length > 0 || new Set(holder.held).size < sockets.size) return undefined;
  return {
    pid: Number(holder.pid),
    name: (await readFile(join('/proc', holder.pid, 'comm'), 'utf8').catch(() => 'unknown')).trim(),
  };
}

/** The configured address of a listener. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Why an address can't be listened on, by the system's error code. */
const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine does not know that name',
};

/** The flags that set an address. */
export interface AddressFlags {
  readonly host: string;
  readonly port: string;
}

const addressRemedy = ({ host }: AddressFlags): string =>
  `Choose an address of this machine with ${host}, such as 127.0.0.1.`;

const remedies: Readonly<Record<string, (flags: AddressFlags) => string>> = {
  EADDRINUSE: ({ port }) => `Stop that, or choose another port with ${port}; ${port} 0 takes any that is free.`,
  EACCES: ({ port }) => `Choose a port above 1023 with ${port}.`,
  EADDRNOTAVAIL: addressRemedy,
  ENOTFOUND: addressRemedy,
};

/** Node's error for an address that can't be listened on. */
export interface ListenError extends NodeJS.ErrnoException {
  /** The numeric address that was tried. A name may resolve to several. */
  readonly address?: string;
}

/** Why an address can't be listened on, with the process that occupies it if the system reports it. */
export async function listenProblem(
  { code = '', message, address: tried = '' }: ListenError,
  port: number,
): Promise<string> {
  const holder = code === 'EADDRINUSE' && isIP(tried) ? await portHolder(tried, port) : undefined;
  return holder ? `process ${holder.pid} (${clean(holder.name)}) listens there` : (listenErrors[code] ?? message);
}

/**
 * Runs a function that starts listening on an address.
 * @param flags that set the address.
 * @throws Error that says why the address can't be used and what to do. Other errors are passed on.
 */
export async function listeningOn<Result>(
  address: Address,
  start: () => Promise<Result>,
  flags: AddressFlags = { host: '--host', port: '--port' },
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code = '', syscall } = error as ListenError;
    if ((syscall !== 'listen' && syscall !== 'getaddrinfo') || !Object.hasOwn(remedies, code)) throw error;
    throw new Error(
      `Can't listen on port ${address.port} of ${address.host}: ${await listenProblem(error as ListenError, address.port)}. ${remedies[code]!(flags)}`,
      { cause: error },
    );
  }
}
