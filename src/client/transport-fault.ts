import { ProxyError, UnreadableEncoding } from '../outgoing/index.ts';
import type { ApiErrorKind } from './errors.ts';

/** Why a request got no usable response. */
export interface TransportFault {
  readonly kind: Extract<ApiErrorKind, 'unreachable' | 'timeout' | 'canceled' | 'bad_answer'>;
  readonly reason: string;
  readonly next: string;
  /** False if it is certain that no server received the request. */
  readonly sent: boolean;
  /** True if another attempt may succeed. */
  readonly transient: boolean;
}

// Errors of the HTTP parser may have no code; their name is enough.
const codeOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return [code, name].find((text) => typeof text === 'string') ?? '';
};

const checkAddress = 'Check the base URL and that the platform is running there.';
const tryLater = 'Try again in a minute.';

type FaultFactory = (origin: string, code: string) => TransportFault;

const unsent =
  (reason: (origin: string) => string, next: string, transient: boolean): FaultFactory =>
  (origin) => ({ kind: 'unreachable', reason: reason(origin), next, sent: false, transient });

const tooLarge: FaultFactory = (origin) => ({
  kind: 'bad_answer',
  reason: `the answer of ${origin} is larger than this client takes`,
  next: 'Ask for less: a page, or fewer lines.',
  sent: true,
  transient: false,
});

const tooSlow =
  (what: string): FaultFactory =>
  (origin) => ({ kind: 'timeout', reason: `${origin} ${what}`, next: tryLater, sent: true, transient: true });

/** The fault of calls that run or start after the client was closed. */
export const closedFault: TransportFault = {
  kind: 'canceled',
  reason: 'the connection to the platform was closed by this program',
  next: 'It is shutting down: call again once it runs.',
  sent: true,
  transient: false,
};

const stopReasons = {
  canceled: { reason: 'the call was canceled', next: 'Call again if it is still wanted.' },
  timeout: { reason: 'the platform did not answer before the deadline of the call', next: tryLater },
} as const;

/** The fault of a call that its caller or its deadline stopped. `sent`: whether an attempt was in progress. */
export const stoppedFault = (kind: keyof typeof stopReasons, sent: boolean): TransportFault => ({
  kind,
  ...stopReasons[kind],
  sent,
  transient: false,
});

const noRoute = unsent((origin) => `there is no route to ${origin}`, 'Check the network.', true);

// By the error codes of Node.js and of undici.
const faultsByCode: Readonly<Record<string, FaultFactory>> = {
  ECONNREFUSED: unsent((origin) => `nothing listens at ${origin}`, checkAddress, true),
  ENOTFOUND: unsent(
    (origin) => `the host name of ${origin} does not exist`,
    'Check the spelling of the base URL.',
    false,
  ),
  EAI_AGAIN: unsent(
    (origin) => `the host name of ${origin} could not be looked up`,
    'Check the network and its name servers.',
    true,
  ),
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  UND_ERR_CONNECT_TIMEOUT: unsent((origin) => `no connection to ${origin} came about in time`, checkAddress, true),
  UND_ERR_HEADERS_TIMEOUT: tooSlow('did not begin to answer in time'),
  UND_ERR_BODY_TIMEOUT: tooSlow('stopped in the middle of its answer'),
  UND_ERR_RES_EXCEEDED_MAX_SIZE: tooLarge,
  UND_ERR_DESTROYED: () => closedFault,
  UND_ERR_CLOSED: () => closedFault,
};

/** Error codes that have their own explanation. */
export const explainedCodes: readonly string[] = Object.keys(faultsByCode);

const tlsFault: FaultFactory = (origin, code) => ({
  kind: 'unreachable',
  reason: `the TLS certificate or handshake of ${origin} is not acceptable (${code})`,
  next: 'Check the base URL. If the platform uses a certificate authority of its own, name its file in NODE_EXTRA_CA_CERTS.',
  sent: false,
  transient: false,
});

const notHttp: FaultFactory = (origin, code) => ({
  kind: 'unreachable',
  reason: `what answers at ${origin} does not speak HTTP (${code})`,
  next: checkAddress,
  sent: true,
  transient: false,
});

const broken: FaultFactory = (origin, code) => ({
  kind: 'unreachable',
  reason: `the connection to ${origin} broke (${code || 'no code'})`,
  next: tryLater,
  sent: true,
  transient: /^E[A-Z]+$|^UND_ERR_SOCKET$/.test(code),
});

const faultsByPattern: readonly (readonly [RegExp, FaultFactory])[] = [
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/, tlsFault],
  [/^(?:HPE_|HTTPParserError$)/, notHttp],
];

const proxyFault = ({ proxy, variable, reason, transient }: ProxyError, origin: string): TransportFault => ({
  kind: 'unreachable',
  reason: `no connection to ${origin} through the proxy ${proxy}: ${reason}`,
  next: `Check ${variable}, which names the proxy. NO_PROXY names hosts to connect to without it.`,
  sent: false,
  transient,
});

const unreadable = ({ message }: UnreadableEncoding, where: string): TransportFault => ({
  kind: 'bad_answer',
  reason: `the answer of ${where} can't be read: ${message}`,
  next: 'Check what compresses answers on the way: a gateway or a proxy.',
  sent: true,
  transient: false,
});

/**
 * Classifies an error of the network or of undici.
 * @param origin of the platform
 * @param proxy the address of the proxy that requests go through, without credentials; undefined for none
 */
export function transportFaultOf(error: unknown, origin: string, proxy?: string): TransportFault {
  if (error instanceof ProxyError) return proxyFault(error, origin);
  const where = proxy === undefined ? origin : `${origin} through the proxy ${proxy}`;
  if (error instanceof UnreadableEncoding) return unreadable(error, where);
  const code = codeOf(error);
  const explain = faultsByCode[code] ?? faultsByPattern.find(([pattern]) => pattern.test(code))?.[1] ?? broken;
  const fault = explain(where, code);
  return (error as NodeJS.ErrnoException | null)?.syscall === 'connect' ? { ...fault, sent: false } : fault;
}

/** Whether a response was aborted because of its size. */
export const isTooLarge = (error: unknown): boolean => faultsByCode[codeOf(error)] === tooLarge;

// Longest host name that DNS allows, in characters.
const longestHost = 253;

const redirectTargetText = (to: URL | null, origin: string): string => {
  if (to === null || to.host.length > longestHost) return 'no valid address';
  if (to.origin === origin) return 'another path of its own';
  return to.host ? `${to.protocol}//${to.host}` : 'something that is no web address';
};

/** The fault of a redirect that isn't followed. `to` is null if the target isn't a valid URL. */
export const redirectFault = (origin: string, to: URL | null): TransportFault => ({
  kind: 'unreachable',
  reason: `${origin} redirects to ${redirectTargetText(to, origin)}, and credentials do not follow there`,
  next: to && to.origin !== origin ? 'If that is the platform, give it as the base URL.' : checkAddress,
  sent: true,
  transient: false,
});

/** The fault of too many redirects. */
export const redirectLoop = (origin: string): TransportFault => ({
  kind: 'unreachable',
  reason: `${origin} redirects again and again`,
  next: checkAddress,
  sent: true,
  transient: false,
});
