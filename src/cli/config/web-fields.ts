import { isIP } from 'node:net';
import * as z from 'zod';
import { withoutBrackets } from '../../outgoing/index.ts';
import { httpAddress } from './fields.ts';

/** An entry of a list: its value, or what is wrong with it and what to write instead. */
type Entry = { readonly value: string } | { readonly fault: string };

/** Entries separated by commas. */
const listOf = (read: (entry: string) => Entry) => () =>
  z.string().transform((text, context) =>
    text.split(',').flatMap((part) => {
      const entry = part.trim();
      const result = entry === '' ? { fault: 'has an empty entry: remove the extra comma' } : read(entry);
      if ('value' in result) return [result.value];
      context.addIssue({ code: 'custom', message: result.fault });
      return [];
    }),
  );

/** A URL without user name and password, which must not be shown. */
const shown = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;

/** The host of an entry as it should be written; undefined if none is in it. */
const hostIn = (entry: string): string | undefined => {
  const text = entry.includes('://')
    ? entry
    : `http://${/^[\da-f:]*:[\da-f:]*:[\da-f:]*$/i.test(entry) ? `[${entry}]` : entry}`;
  const hostname = URL.parse(text)?.hostname ?? '';
  return hostname === '' ? undefined : hostname;
};

const everyHost =
  'would accept every host name, and with it requests that web pages send under names of their own (DNS rebinding)';

function readHostName(entry: string): Entry {
  if (entry.includes('*'))
    return {
      fault: `has "${entry}", which ${entry === '*' ? everyHost : 'is a pattern'}: write each name that clients use, such as mcp.example.com`,
    };
  const host = hostIn(entry);
  if (host === undefined) return { fault: 'has an entry that is not a host name: write names such as mcp.example.com' };
  if (host === entry.toLowerCase()) return { value: host };
  return { fault: `has more than a host name in an entry: write ${host}, which counts with every scheme and port` };
}

/** Host names, separated by commas. */
export const hostNames = listOf(readHostName);

function readOrigin(entry: string): Entry {
  if (entry.includes('*'))
    return {
      fault: `has "${entry}", and origins have no patterns: write each origin of the pages, such as https://app.example.com`,
    };
  if (!entry.includes('://')) {
    const url = entry === 'null' ? null : URL.parse(`https://${entry}`);
    return {
      fault: url
        ? `has an entry without a scheme: write https://${url.host}, or http://${url.host}`
        : 'has an entry that is not an origin: write origins such as https://app.example.com',
    };
  }
  const url = URL.parse(entry);
  if (!url || url.hostname === '')
    return { fault: 'has an entry that is not an origin: write origins such as https://app.example.com' };
  const { protocol, host, pathname, search, hash, username, password } = url;
  const origin = `${protocol}//${host}`;
  return ['', '/'].includes(pathname) && [search, hash, username, password].every((part) => part === '')
    ? { value: origin }
    : { fault: `has more than an origin in an entry: write ${origin}, without what follows the host` };
}

/** Origins of web pages, separated by commas, in the form in which browsers send them. */
export const pageOrigins = listOf(readOrigin);

/** The URL of the MCP endpoint: without user name, password, query and fragment. */
export const publicAddress = () =>
  httpAddress().transform((text, context) => {
    const url = new URL(text);
    // An empty query or fragment leaves only its sign.
    if (/[?#]/.test(text) || url.username !== '' || url.password !== '')
      context.addIssue({
        code: 'custom',
        message: `must have no query, fragment, user name or password: write ${shown(url)}`,
      });
    return url;
  });

/** The flags of an address to listen on, for what to write. */
interface ListenFlags {
  readonly host: string;
  readonly port: string;
}

function readListenHost(text: string, flags: ListenFlags): Entry {
  const address = withoutBrackets(text);
  if (isIP(address) !== 0) return { value: address };
  const [, port] = /^(?:[a-z]+:\/\/)?(?:[^/?#]*@)?(?:\[[^\]]*\]|[^:/?#]*):(\d{1,5})(?:[/?#]|$)/i.exec(text) ?? [];
  const write = (host: string, itsPort = port): string =>
    `write ${flags.host} ${host}${itsPort === undefined ? '' : ` ${flags.port} ${itsPort}`}`;
  if (/^\d{1,5}$/.test(text)) return { fault: `is a port, not an address: ${write('127.0.0.1', text)}` };
  if (text.includes('*'))
    return { fault: `is a pattern: ${write('0.0.0.0')} for every IPv4 address of this machine, :: for IPv6 too` };
  const unclosed = text.replace(/^\[|\]$/, '');
  const host = isIP(unclosed) === 0 ? withoutBrackets(hostIn(text) ?? '') : unclosed;
  if (host === '') return { fault: `is neither an IP address nor a host name: ${write('127.0.0.1')}` };
  if (host === text.toLowerCase()) return { value: text };
  return { fault: `is not only an address: ${write(host)}` };
}

/** An address to listen on. An IPv6 address may have the brackets that it has in URLs. */
export const listenHost = (flags: ListenFlags) => () =>
  z.string().transform((text, context) => {
    const result = readListenHost(text, flags);
    if ('value' in result) return result.value;
    context.addIssue({ code: 'custom', message: result.fault });
    return z.NEVER;
  });
