import { BlockList, isIP } from 'node:net';

/** A parsed entry of NO_PROXY. */
type Exception = (host: string, port: number) => boolean;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** An entry such as 10.0.0.0/8. */
const networkOf = (entry: string): Exception | undefined => {
  const [, address = '', bits = ''] = /^(\[?[\d.a-f:]+\]?)\/(\d{1,3})$/.exec(entry) ?? [];
  const network = withoutBrackets(address);
  if (isIP(network) === 0 || Number(bits) > (isIP(network) === 6 ? 128 : 32)) return undefined;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), familyOf(network));
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
};

/** An entry such as example.com, .example.com, *.example.com, 10.0.0.1 or [::1], each perhaps with a port. */
const hostOf = (entry: string): Exception | undefined => {
  if (isIP(entry) === 6) return (host) => host === entry;
  const [, name = '', digits] = /^(\[[\da-f:.]+\]|(?:\*?\.)?[^\s/:*@[\]]+|\*)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (name === '') return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  const hasPort = (actual: number): boolean => port === undefined || port === actual;
  if (name === '*') return (_, actual) => hasPort(actual);
  const bare = withoutBrackets(name)
    .replace(/^\*?\./, '')
    .replace(/\.$/, '');
  const isWildcard = name.startsWith('*');
  return (host, actual) =>
    hasPort(actual) && ((host === bare && !isWildcard) || (isIP(host) === 0 && host.endsWith(`.${bare}`)));
};

/** The hosts that NO_PROXY excepts from proxies. */
export interface NoProxy {
  /** Its entries, as written. */
  readonly entries: readonly string[];
  /** The positions of entries that can't be read, from 1. */
  readonly unreadable: readonly number[];
  /** Whether a URL is excepted. */
  readonly excepts: (url: URL) => boolean;
}

/** Parses NO_PROXY: hosts, domains, addresses and networks, separated by commas or spaces; `*` for everything. */
export function parseNoProxy(text: string): NoProxy {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const parsed = entries.map((entry) => networkOf(entry.toLowerCase()) ?? hostOf(entry.toLowerCase()));
  const exceptions = parsed.filter((one) => one !== undefined);
  return {
    entries,
    unreadable: parsed.flatMap((one, index) => (one === undefined ? [index + 1] : [])),
    excepts: ({ hostname, port, protocol }) => {
      const host = withoutBrackets(hostname).replace(/\.$/, '');
      const actual = Number(port) || (protocol === 'https:' ? 443 : 80);
      return exceptions.some((excepts) => excepts(host, actual));
    },
  };
}
