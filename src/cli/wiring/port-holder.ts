import { readdir, readFile, readlink } from 'node:fs/promises';
import { BlockList, isIPv6 } from 'node:net';
import { endianness } from 'node:os';
import { join } from 'node:path';

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number;
  readonly name: string;
}

/** TCP_LISTEN in /proc/net/tcp. */
const listening = '0A';

/** An address of the system's tables, whose 32-bit words are in the byte order of the machine. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  return bytes.length === 4 ? bytes.join('.') : bytes.toString('hex').match(/.{4}/g)!.join(':');
}

/** The addresses with which a listener keeps others from an address: that one and the wildcards, or all of a wildcard's families. */
function keepingFrom(address: string): BlockList {
  const list = new BlockList();
  list.addAddress('::', 'ipv6');
  list.addAddress('0.0.0.0', 'ipv4');
  list.addAddress(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  if (['::', '0.0.0.0'].includes(address)) list.addSubnet('0.0.0.0', 0, 'ipv4');
  if (address === '::') list.addSubnet('::', 0, 'ipv6');
  return list;
}

/** The inodes of the sockets that keep others from an address and port, from the system's tables. */
async function listeningSockets(address: string, port: number): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(join('/proc/net', table), 'utf8').catch(() => '')));
  const rows = tables.flatMap((table) => table.split('\n').slice(1).map((line) => line.trim().split(/\s+/)));
  const keeping = keepingFrom(address);
  return new Set(rows.flatMap(([, local = '', , state, , , , , , inode = '']) => {
    const [theirs = '', theirPort = ''] = local.split(':');
    if (state !== listening || Number.parseInt(theirPort, 16) !== port) return [];
    return keeping.check(addressOf(theirs), theirs.length === 8 ? 'ipv4' : 'ipv6') ? [inode] : [];
  }));
}

/** The sockets among these that a process has open; none if the system doesn't tell. */
const heldBy = async (pid: string, sockets: ReadonlySet<string>): Promise<readonly string[]> => {
  const folder = join('/proc', pid, 'fd');
  const files = await readdir(folder).catch(() => []);
  const targets = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => '')));
  return targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '').filter((inode) => sockets.has(inode));
};

/**
 * The process that keeps others from listening on an address and port.
 * @param address in numbers, as the failed attempt reports it.
 * @returns undefined if the system doesn't tell, or only its administrator, or it could be one of several: ending an innocent process helps nobody.
 */
export async function portHolder(address: string, port: number): Promise<PortHolder | undefined> {
  const sockets = await listeningSockets(address, port);
  if (sockets.size === 0) return undefined;
  const holders: { readonly pid: string; readonly held: readonly string[] }[] = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    // One by one: a machine may have thousands, and each has many files.
    // oxlint-disable-next-line no-await-in-loop
    const held = await heldBy(pid, sockets);
    if (held.length > 0) holders.push({ pid, held });
  }
  const [holder, ...others] = holders;
  // A socket whose process isn't told could be the one.
  if (!holder || others.length > 0 || new Set(holder.held).size < sockets.size) return undefined;
  return { pid: Number(holder.pid), name: (await readFile(join('/proc', holder.pid, 'comm'), 'utf8').catch(() => 'unknown')).trim() };
}
