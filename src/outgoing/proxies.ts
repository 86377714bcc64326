import { isLoopbackHost } from './hosts.ts';
import { type NoProxy, parseNoProxy } from './no-proxy.ts';

/** The environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names. */
export interface Proxy {
  /** The variable that names it. */
  readonly variable: string;
  /** Its address without user name and password. */
  readonly address: string;
  /** Its address with the user name and password, which are secret. */
  readonly url: string;
}

/** The proxies of an environment by the scheme of the requests that go through them, and the exceptions. */
interface Proxies {
  readonly http?: Proxy;
  readonly https?: Proxy;
  readonly exceptions: NoProxy & { readonly variable?: string };
  /** What to correct, as sentences without the values, which may contain a password. */
  readonly problems: readonly string[];
}

/** The name and the value of a variable. As everywhere, lower case takes precedence, and empty is unset. */
const valueOf = (env: Environment, name: string): { readonly variable: string; readonly text: string } | undefined =>
  [name.toLowerCase(), name].flatMap((variable) => {
    const text = env[variable]?.trim();
    return text ? [{ variable, text }] : [];
  })[0];

const schemes: Readonly<Record<string, string>> = {
  'http:': 'http:',
  'https:': 'https:',
  'socks5:': 'socks5:',
  'socks5h:': 'socks5:',
  'socks:': 'socks5:',
};

/** The proxy in a variable; undefined if its value is not the address of one. Without a scheme, it is http. */
const readProxy = ({ variable, text }: { readonly variable: string; readonly text: string }): Proxy | undefined => {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  const scheme = schemes[url?.protocol ?? ''];
  if (!url || scheme === undefined || url.hostname === '' || url.search || url.hash) return undefined;
  if (url.pathname !== '/' && url.pathname !== '') return undefined;
  const credentials = url.username === '' && url.password === '' ? '' : `${url.username}:${url.password}@`;
  return { variable, address: `${scheme}//${url.host}`, url: `${scheme}//${credentials}${url.host}` };
};

const isProxy = (value: Proxy | undefined): value is Proxy => value !== undefined;

const readProxies = (env: Environment): Proxies => {
  const named = {
    http: valueOf(env, 'HTTP_PROXY') ?? valueOf(env, 'ALL_PROXY'),
    https: valueOf(env, 'HTTPS_PROXY') ?? valueOf(env, 'ALL_PROXY'),
  };
  const used = [
    ...new Map([named.http, named.https].flatMap((one) => (one ? [[one.variable, one] as const] : []))).values(),
  ];
  const found = new Map(used.map((one) => [one.variable, readProxy(one)]));
  const excepted = valueOf(env, 'NO_PROXY');
  const exceptions = parseNoProxy(excepted?.text ?? '');
  return {
    http: named.http && found.get(named.http.variable),
    https: named.https && found.get(named.https.variable),
    exceptions: { ...exceptions, ...(excepted && { variable: excepted.variable }) },
    problems: used
      .filter(({ variable }) => !isProxy(found.get(variable)))
      .map(
        ({ variable }) =>
          `${variable} is not the address of a proxy. Write it like http://proxy.example.com:3128, with user:password@ before the host if it needs them (percent-encoded), or unset it.`,
      ),
  };
};

/** What is wrong with the environment's variables for proxies, as sentences that say what to write. No secrets. */
export const proxyProblems = (env: Environment = process.env): readonly string[] => readProxies(env).problems;

/**
 * What of the environment's variables for proxies is ignored, as sentences. Without the values, which may contain a
 * password.
 */
export function proxyWarnings(env: Environment = process.env): readonly string[] {
  const { http, https, exceptions } = readProxies(env);
  const { unreadable, variable } = exceptions;
  if (unreadable.length === 0 || (http ?? https) === undefined) return [];
  const [entries, are] = unreadable.length === 1 ? ['Entry', 'is'] : ['Entries', 'are'];
  return [
    `${entries} ${unreadable.join(', ')} of ${variable} ${are} ignored, because no host can be read there: requests to what is meant go through the proxy. Write hosts, domains, addresses or networks: localhost,.example.com,192.168.*,10.0.0.0/8.`,
  ];
}

/**
 * The proxy for requests to a URL; undefined if they go directly, as those to this machine always do.
 * @throws Error if a variable can't be read
 */
export function proxyFor(url: URL | string, env: Environment = process.env): Proxy | undefined {
  const to = new URL(url);
  if (isLoopbackHost(to.hostname)) return undefined;
  const { exceptions, problems, ...proxies } = readProxies(env);
  if (problems.length > 0) throw new Error(problems.join(' '));
  return exceptions.excepts(to) ? undefined : proxies[to.protocol === 'https:' ? 'https' : 'http'];
}

/** The proxies that the environment names, and the entries of NO_PROXY. For display: without credentials. */
export function usedProxies(env: Environment = process.env): {
  readonly proxies: readonly (Omit<Proxy, 'url'> & { readonly scheme: 'http' | 'https' })[];
  readonly exceptions: readonly string[];
} {
  const { exceptions, http, https } = readProxies(env);
  const shown = (scheme: 'http' | 'https', proxy: Proxy | undefined) =>
    proxy ? [{ scheme, variable: proxy.variable, address: proxy.address }] : [];
  return { proxies: [...shown('https', https), ...shown('http', http)], exceptions: exceptions.entries };
}
