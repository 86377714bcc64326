import { type Config, pageLink } from '../config/index.ts';
import { assertSafeAddress, discoverJwksUri } from '../../transport/index.ts';
import { authenticationOf } from '../wiring/http/authentication.ts';
import { createLog } from '../wiring/log.ts';
import { type DoctorFinding, findingBuilder, errorText } from './finding.ts';
import { portFinding } from './ports.ts';

const callers = findingBuilder('callers');
const issuer = findingBuilder('issuer');

async function callersFinding(config: Config): Promise<DoctorFinding> {
  try {
    const { authenticate } = await authenticationOf(config, createLog('silent'));
    assertSafeAddress({ host: config.httpHost, publicUrl: config.publicUrl, allowedHosts: config.allowedHosts, allowedOrigins: config.allowedOrigins }, authenticate !== undefined);
    if (authenticate) return callers.good([config.keysFile && `keys of ${config.keysFile}`, config.oauthIssuer && `access tokens of ${config.oauthIssuer}`].filter(Boolean).join(', '));
    return callers.good('everybody on this machine, and nobody else');
  } catch (error) {
    return callers.bad(errorText(error), `See ${pageLink('http')} for authentication.`);
  }
}

async function issuerFindings({ oauthIssuer, oauthJwksUrl }: Config): Promise<DoctorFinding[]> {
  if (oauthIssuer === undefined) return [];
  try {
    const keys = oauthJwksUrl ?? (await discoverJwksUri(oauthIssuer));
    const answer = await fetch(keys, { signal: AbortSignal.timeout(10_000) });
    // Unread, it would keep the process alive.
    await answer.body?.cancel();
    return [answer.ok ? issuer.good(`its keys are at ${keys.href}`) : issuer.bad(`${keys.href} answers ${answer.status}`, 'Correct INFRA_OAUTH_ISSUER or INFRA_OAUTH_JWKS_URL.')];
  } catch (error) {
    return [issuer.bad(errorText(error), 'Check that this machine can reach it, or correct INFRA_OAUTH_ISSUER or INFRA_OAUTH_JWKS_URL.')];
  }
}

/** Checks the authentication of callers, the OAuth issuer and the port of the HTTP server. */
export const listeningFindings = async (config: Config): Promise<DoctorFinding[]> => [await callersFinding(config), ...(await issuerFindings(config)), await portFinding(config)];
