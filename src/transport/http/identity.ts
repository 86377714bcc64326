import type { HttpCaller } from './caller.ts';
import { platformTokenIn, platformTokenNeeded } from './platform-token.ts';
import { requestRestriction, unrestricted } from './restriction.ts';

/** Who somebody is, before anything the request itself adds. */
export type Identity = Omit<HttpCaller, 'credential' | 'identity'>;

/** Finds out who sent a request, or answers why it doesn't know. */
export type AuthenticateCaller = (request: Request) => Promise<Identity | Response>;

/** Whoever reaches a host that serves one machine only. */
export const localAuthentication: AuthenticateCaller = async () => ({
  principal: 'local',
  level: 'admin',
  restriction: unrestricted,
});

/** What a server knows beside its callers. */
export interface IdentifyOptions {
  /** Whether it has a token of its own for the platform. */
  readonly holdsToken: boolean;
  /** Changes whenever the operator's policy does. */
  readonly policyVersion: () => string;
}

/** Finds out who calls, held to what, and with what right on the platform. */
export const createIdentify =
  (authenticate: AuthenticateCaller, { holdsToken, policyVersion }: IdentifyOptions) =>
  async (request: Request): Promise<HttpCaller | Response> => {
    const identity = await authenticate(request);
    if (identity instanceof Response) return identity;
    const restriction = requestRestriction(request, identity.restriction);
    if (restriction instanceof Response) return restriction;
    const credential = platformTokenIn(request);
    if (credential instanceof Response) return credential;
    if (!credential && !holdsToken) return platformTokenNeeded();
    return {
      ...identity,
      identity: identity.principal,
      // What one token may see must not come out of a cache to another.
      principal: credential ? `${identity.principal}+${credential.key}` : identity.principal,
      restriction: { ...restriction, name: `${policyVersion()}/${restriction.name}` },
      credential,
    };
  };
