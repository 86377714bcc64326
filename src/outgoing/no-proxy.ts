import { BlockList, isIP } from 'node:net';
import { withoutBrackets } from './hosts.ts';

/** A parsed entry of NO_PROXY. */
type Exception = (host: string, port: number) => boolean;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An entry such as 10.0.0.0/8. */
const networkOf = (entry: string): Exception | undefined => {
  const [, address = '', bits = ''] = /^(\[?[\d.a-f:]+\]?)\/(\d{1,3})$/.exec(entry) ?? [];
  const network = withoutBrackets(address);
  if (isIP(network) === 0 || Number(bits) > (isIP(network) === 6 ? 128 : 32)) return undefined;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), familyOf(network));
  return (host) => isIP(host) !== 0 && list.check(host, familyOf(host));
};

/** Matches a host against a pattern with `*` for any characters. One of digits and dots is a pattern of addresses. */
const patternOf = (pattern: string): ((host: string) => boolean) => {
  const isOfAddresses = /^[.*]*\d[\d.*]*$/.test(pattern);
  const whole = new RegExp(`^${pattern.replace(/[^*\w]/g, String.raw`\$&`).replace(/\*+/g, '.*')}$`);
  return (host) => (isIP(host) !== 0) === isOfAddresses && whole.test(host);
};

/** Matches a host and its subdomains. A dot in front changes nothing. */
const domainOf = (name: string): ((host: string) => boolean) => {
  const bare = name.replace(/^\./, '');
  return (host) => host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
};

/** The host and port of an entry that is a URL, as some write it; other entries as they are. */
const withoutScheme = (entry: string): string => entry.replace(/^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*).*$/, '$1');

/** An entry such as example.com, .example.com, *.example.com, 10.*, 10.0.0.1 or [::1], each perhaps with a port. */
const hostOf = (entry: string): Exception | undefined => {
  if (isIP(entry) === 6) return (host) => host === entry;
  const [, name = '', digits] = /^(\[[\da-f:.]+\]|[^\s/:@[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const bare = withoutBrackets(name).replace(/\.$/, '');
  if (bare === '') return undefined;
  const matches = /^\*+$/.test(bare) ? () => true : (bare.includes('*') ? patternOf : domainOf)(bare);
  const port = digits === undefined ? undefined : Number(digits);
  return (host, actual) => (port === undefined || port === actual) && matches(host);
};

/** The hosts that NO_PROXY excepts from proxies. */
export interface NoProxy {
  /** The entries that can be read, without what URLs among them have beside the host. */
  readonly entries: readonly string[];
  /** The positions of entries that can't be read, and except nothing; from 1. */
  readonly unreadable: readonly number[];
  /** Whether a URL is excepted. */
  readonly excepts: (url: URL) => boolean;
}

/**
 * Parses NO_PROXY: hosts, domains, addresses, networks and patterns, separated by commas, spaces, semicolons or `|`;
 * `*` for everything.
 */
export function parseNoProxy(text: string): NoProxy {
  const entries = text.split(/[\s,;|]+/).flatMap((entry) => (entry === '' ? [] : [withoutScheme(entry.toLowerCase())]));
  const parsed = entries.map((entry) => networkOf(entry) ?? hostOf(entry));
  const exceptions = parsed.filter((one) => one !== undefined);
  return {
    entries: entries.filter((_, index) => parsed[index] !== undefined),
    unreadable: parsed.flatMap((one, index) => (one === undefined ? [index + 1] : [])),
    excepts: ({ hostname, port, protocol }) => {
      const host = withoutBrackets(hostname).replace(/\.$/, '');
      const actual = Number(port) || (protocol === 'https:' ? 443 : 80);
      return exceptions.some((excepts) => excepts(host, actual));
    },
  };
}
