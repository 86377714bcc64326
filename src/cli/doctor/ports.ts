import { createServer } from 'node:net';
import { hostForUrl, isLoopback, assertSafeAddress, discoverJwksUri } from '../../transport/index.ts';
import { sendRequest } from '../../outgoing/index.ts';
import { type Config, pageLink } from '../config/index.ts';
import { type Address, type ListenError, listenProblem } from '../wiring/listen-error.ts';
import { type DoctorFinding, findingBuilder, errorMessage } from '../../platform/common/index.ts';
import { authenticationOf } from '../wiring/http/authentication.ts';
import { createLog } from '../wiring/log.ts';

const callers = findingBuilder('callers');
const issuer = findingBuilder('issuer');

async function callersFinding(config: Config): Promise<DoctorFinding> {
  try {
    const { authenticate } = await authenticationOf(config, createLog('silent'));
    assertSafeAddress(
      {
        host: config.httpHost,
        publicUrl: config.publicUrl,
        allowedHosts: config.allowedHosts,
        allowedOrigins: config.allowedOrigins,
      },
      authenticate !== undefined,
    );
    if (authenticate)
      return callers.good(
        [
          config.keysFile && `keys of ${config.keysFile}`,
          config.oauthIssuer && `access tokens of ${config.oauthIssuer}`,
        ]
          .filter(Boolean)
          .join(', '),
      );
    return callers.good('everybody on this machine, and nobody else');
  } catch (error) {
    return callers.bad(errorMessage(error), `See ${pageLink('http')} for authentication.`);
  }
}

async function issuerFindings({ oauthIssuer, oauthJwksUrl }: Config): Promise<DoctorFinding[]> {
  if (oauthIssuer === undefined) return [];
  try {
    const keys = oauthJwksUrl ?? (await discoverJwksUri(oauthIssuer));
    const { ok, status } = await sendRequest(keys, { signal: AbortSignal.timeout(10_000) });
    return [
      ok
        ? issuer.good(`its keys are at ${keys.href}`)
        : issuer.bad(`${keys.href} answers ${status}`, 'Correct INFRA_OAUTH_ISSUER or INFRA_OAUTH_JWKS_URL.'),
    ];
  } catch (error) {
    return [
      issuer.bad(
        errorMessage(error),
        'Check that this machine can reach it, or correct INFRA_OAUTH_ISSUER or INFRA_OAUTH_JWKS_URL.',
      ),
    ];
  }
}

/** Checks the authentication of callers, the OAuth issuer and the port of the HTTP server. */
export const listeningFindings = async (config: Config): Promise<DoctorFinding[]> => [
  await callersFinding(config),
  ...(await issuerFindings(config)),
  await portFinding(config),
];

const port = findingBuilder('port');
const metrics = findingBuilder('metrics');

/** The error of listening on an address; undefined if it works. */
const listenError = ({ host, port: at }: Address): Promise<ListenError | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(at, host, () => server.close(() => resolve(undefined)));
  });

const placeOf = ({ host, port: at }: Address): string => (at === 0 ? `any free one on ${host}` : `${at} on ${host}`);

/** Checks whether the HTTP server can listen. */
async function portFinding({ httpHost, httpPort }: Config): Promise<DoctorFinding> {
  const address = { host: httpHost, port: httpPort };
  const error = await listenError(address);
  if (!error) return port.good(`${placeOf(address)}: free`);
  return port.bad(
    `${placeOf(address)}: ${await listenProblem(error, address.port)}`,
    'Set another with --port or --host, or stop what listens there. If that is infra-mcp, nothing is wrong.',
  );
}

/** The addresses at which a local client reaches a server that listens on all addresses. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The timeout of a response in milliseconds, and its maximum length in characters. Any program may listen there. */
const [answerTimeout, answerLength] = [3_000, 1_000_000];

/** Whether another process of this program serves its metrics at an address, which no proxy is asked for. */
async function servesMetrics({ host, port: at }: Address): Promise<boolean> {
  try {
    const { ok, body } = await fetch(`http://${hostForUrl(reachable[host] ?? host)}:${at}/metrics`, {
      redirect: 'error',
      signal: AbortSignal.timeout(answerTimeout),
    });
    let text = '';
    // Leaving the loop closes the response.
    for await (const chunk of (ok && body ? body : []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString('latin1');
      if (/^# TYPE infra_(?:mcp|platform)_/m.test(text)) return true;
      if (text.length > answerLength) return false;
    }
    await body?.cancel();
    return false;
  } catch {
    return false;
  }
}

const isSameAddress = (one: Address, other: Address): boolean =>
  one.port !== 0 &&
  one.port === other.port &&
  (one.host === other.host || Object.hasOwn(reachable, one.host) || Object.hasOwn(reachable, other.host));

async function takenFinding(address: Address, error: ListenError): Promise<DoctorFinding> {
  const where = placeOf(address);
  if (error.code === 'EADDRINUSE' && (await servesMetrics(address))) {
    return metrics.note(
      `${where}: another server of this kind serves its metrics there already`,
      'If that is this server, nothing is wrong. Each further one needs a port of its own: --metrics-port.',
    );
  }
  return metrics.bad(
    `${where}: ${await listenProblem(error, address.port)}, so the server would not start`,
    'Set another with --metrics-port or --metrics-host, or stop what listens there.',
  );
}

/**
 * Checks the address for metrics. No finding if metrics are not served.
 * @param server the kind of server. The address must differ from that of an HTTP server.
 */
export async function metricsFindings(
  { metricsHost: host, metricsPort, ...config }: Config,
  server: 'stdio' | 'http',
): Promise<DoctorFinding[]> {
  if (metricsPort === undefined) return [];
  const address = { host, port: metricsPort };
  if (server === 'http' && isSameAddress(address, { host: config.httpHost, port: config.httpPort })) {
    return [
      metrics.bad(`${placeOf(address)}: the server itself listens there`, 'Set another port with --metrics-port.'),
    ];
  }
  const error = await listenError(address);
  if (error) return [await takenFinding(address, error)];
  if (isLoopback(host)) return [metrics.good(`${placeOf(address)}: free, and only this machine can read them`)];
  return [
    metrics.note(
      `${placeOf(address)}: free, and other machines can read them without a key`,
      'Set --metrics-host 127.0.0.1, or let only your monitoring reach this port.',
    ),
  ];
}
