import { shortened } from '../../../../contract/index.ts';

/**
 * Why a request to an engine failed:
 * - `unreachable`: no connection, or it broke. If it broke, whether the engine carried the request out is unknown.
 * - `timeout`: the deadline of the request passed. The engine may still carry it out.
 * - `version`: no API version in common.
 * - `not found`, `conflict`: the resource is missing; or it already exists or is in use.
 * - `stale`: the version of the object is not the current one. Read it again.
 * - `no manager`: the engine is not a manager of a swarm.
 * - `no leader`: the managers of the swarm have no leader, or lost it during the request. Whether they carried the
 *   request out is unknown.
 * - `refused`: another status from 400 to 499. Repeating the request doesn't help.
 * - `failed`: the engine failed, or reported a failure in a stream.
 * - `bad answer`: the answer doesn't come from an engine.
 */
export type DockerErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'version'
  | 'not found'
  | 'conflict'
  | 'stale'
  | 'no manager'
  | 'no leader'
  | 'refused'
  | 'failed'
  | 'bad answer';

/** The part of a request that errors report: never its query, headers or body, which can contain secrets. */
export interface DockerRequestLine {
  readonly method: string;
  /** The path without version and query. */
  readonly path: string;
}

interface Details {
  /** The HTTP status; absent without an answer. */
  readonly status?: number;
  /** The exit code or status of a failure in a stream, such as the exit code of a build step. */
  readonly code?: number;
  readonly cause?: unknown;
  readonly neverSent?: boolean;
}

/** A request to an engine failed. */
export class DockerError extends Error {
  override readonly name = 'DockerError';
  readonly kind: DockerErrorKind;
  /** The reason that the engine or the connection gave, without the request. */
  readonly reason: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly code?: number;
  /** Whether the request certainly never reached the engine. */
  readonly neverSent: boolean;

  /** @param line absent if there was no request yet */
  constructor(
    kind: DockerErrorKind,
    reason: string,
    line?: DockerRequestLine,
    { status, code, cause, neverSent = false }: Details = {},
  ) {
    super(
      `${line ? `${line.method} ${line.path}` : 'a request to the engine'}${status === undefined ? '' : ` (${status})`}: ${reason}`,
      { cause },
    );
    this.kind = kind;
    this.reason = reason;
    this.method = line?.method;
    this.path = line?.path;
    this.status = status;
    this.code = code;
    this.neverSent = neverSent;
  }
}

/** The longest message of an engine that an error quotes, in characters. */
const longestReason = 2000;

/** Makes an engine's message fit on one line. */
const tidy = (message: string): string => {
  // oxlint-disable-next-line no-control-regex
  return shortened(message.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim(), longestReason);
};

const messageOf = (text: string): string => {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    // A proxy in front of the engine may answer in HTML, which doesn't help.
    return text.trimStart().startsWith('<') ? '' : text;
  }
};

/** Messages of managers that have no leader, or lose it during a request. */
const leaderless =
  /does not have a leader|los(?:t|ing) leader status|no elected cluster leader|rpc error: code = (?:Unavailable|DeadlineExceeded|Canceled|Aborted)/i;

/** Whether an engine reports that its swarm has no leader: electing one takes more than half of the managers. */
export const isLeaderless = (message: string): boolean => leaderless.test(message);

/** An explanation of that. Engines don't distinguish its two causes at first. */
export const leaderlessText =
  'the swarm has no leader: either its managers are just choosing one, or no manager has a majority, for which more than half of them have to be up and to reach each other. Running services continue; until it has one, the swarm can neither be changed nor queried';

const kindOfStatus = (status: number, message: string): DockerErrorKind => {
  if (status === 404) return 'not found';
  if (status === 409) return 'conflict';
  if (status === 503 && /swarm/i.test(message)) return 'no manager';
  if (status === 400 && /client version .* is too (?:new|old)/i.test(message)) return 'version';
  // Engines report an outdated version of an object as an internal error.
  if (status === 500 && /update out of sequence/i.test(message)) return 'stale';
  // Likewise a name that another request has just taken.
  if (status === 500 && /name conflicts with an existing object/i.test(message)) return 'conflict';
  if (status >= 500 && isLeaderless(message)) return 'no leader';
  if (status < 400) return 'bad answer';
  return status < 500 ? 'refused' : 'failed';
};

/** The error for an unsuccessful answer. @param text the body */
export function dockerAnswerError(line: DockerRequestLine, status: number, text: string): DockerError {
  const message = tidy(messageOf(text));
  const kind = kindOfStatus(status, message);
  return new DockerError(
    kind,
    message === '' ? 'the engine gave no reason' : kind === 'no leader' ? `${leaderlessText} (${message})` : message,
    line,
    { status },
  );
}

/** The error for a failure that a stream reports after its status 200. */
export const dockerStreamError = (line: DockerRequestLine, message: string, code?: number): DockerError =>
  new DockerError('failed', tidy(message), line, { code });

const broke = 'the connection broke';
const otherAuthority = 'its certificate is not signed by the authority in the TLS file "ca"';
const refusesCertificate = 'it does not accept the certificate in the TLS file "cert"';

const reasonsByCode: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist',
  EACCES: 'this user may not use the socket',
  EPERM: 'this user may not use the socket',
  ENOTSOCK: 'this file is not a socket',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: broke,
  EPIPE: broke,
  UND_ERR_SOCKET: broke,
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not established in time',
  UND_ERR_DESTROYED: 'this client is closed',
  UND_ERR_CLOSED: 'this client is closed',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be looked up',
  SELF_SIGNED_CERT_IN_CHAIN: otherAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: otherAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: otherAuthority,
  CERT_SIGNATURE_FAILURE: otherAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other addresses than this one',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate: give the TLS files',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: refusesCertificate,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: refusesCertificate,
  ERR_SSL_TLS_ALERT_BAD_CERTIFICATE: refusesCertificate,
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the TLS file "key" is not the key of the certificate in "cert"',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
};

/** The error codes of failed connections: the request was not sent. */
const beforeSending: readonly string[] = [
  'ENOENT',
  'EACCES',
  'EPERM',
  'ENOTSOCK',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

/** The codes of an error, its causes and the errors that it aggregates. */
const codesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return [];
  const { code } = error as NodeJS.ErrnoException;
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(error.cause),
    ...(error instanceof AggregateError ? error.errors.flatMap(codesOf) : []),
  ];
};

/** The error for a request without a usable answer. @param address of the engine, as text */
export function dockerConnectionError(line: DockerRequestLine, address: string, error: unknown): DockerError {
  const codes = codesOf(error);
  if (codes.some((code) => code.startsWith('HPE_')))
    return new DockerError('bad answer', `the server at ${address} does not speak HTTP`, line, { cause: error });
  // A TLS error says more than a broken connection.
  const known = codes
    .toSorted((one, other) => Number(other.startsWith('ERR_')) - Number(one.startsWith('ERR_')))
    .map((code) => reasonsByCode[code])
    .find((reason) => reason !== undefined);
  // A server may refuse a client's certificate silently, after the connection was established.
  const isFirst = address.startsWith('tcp://') && line.path === '/_ping' && known === broke;
  const reason = isFirst
    ? `${broke}; if the engine uses TLS, it may not accept the certificate in the TLS file "cert"`
    : (known ?? (error instanceof Error ? tidy(error.message) : 'unknown reason'));
  return new DockerError('unreachable', `the engine at ${address} can't be reached: ${reason}`, line, {
    cause: error,
    neverSent: codes.some((code) => beforeSending.includes(code)),
  });
}

/** Whether an error is a DockerError, of one of these kinds if any are given. */
export const isDockerError = (error: unknown, ...kinds: readonly DockerErrorKind[]): error is DockerError =>
  error instanceof DockerError && (kinds.length === 0 || kinds.includes(error.kind));

/** For `catch`: turns engine errors of these kinds into undefined. @throws any other error */
export const ignoring =
  (...kinds: readonly [DockerErrorKind, ...DockerErrorKind[]]) =>
  (error: unknown): undefined => {
    if (!isDockerError(error, ...kinds)) throw error;
  };

/**
 * Whether an engine, or the swarm behind it, could not be reached or did not answer. That is often temporary. Whether
 * the request was carried out is unknown.
 */
export const isDockerAway = (error: unknown): error is DockerError =>
  isDockerError(error, 'unreachable', 'timeout', 'no manager', 'no leader');
