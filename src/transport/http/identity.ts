import type { HttpCaller } from './caller.ts';
import { platformTokenIn, platformTokenNeeded } from './platform-token.ts';
import { requestRestriction, unrestricted } from './restriction.ts';
import type { OfferedToolsets } from './toolset-choice.ts';

/** The caller as authenticated, before the request's own headers are applied. */
export type Identity = Omit<HttpCaller, 'credential' | 'identity'>;

/** Authenticates the sender of a request, or returns the response that rejects it. */
export type AuthenticateCaller = (request: Request) => Promise<Identity | Response>;

/** Accepts every caller. For hosts that listen on a loopback address only. */
export const localAuthentication: AuthenticateCaller = async () => ({
  principal: 'local',
  level: 'admin',
  restriction: unrestricted,
});

/** Facts about the server that identification depends on. */
export interface IdentifyOptions {
  /** Whether it has its own token for the platform. */
  readonly holdsToken: boolean;
  /** Changes with the operator's policy. */
  readonly policyVersion: () => string;
  readonly toolsets: OfferedToolsets;
}

/** Creates a function that determines the caller of a request, its restriction and its platform credential. */
export const createIdentify =
  (authenticate: AuthenticateCaller, { holdsToken, policyVersion, toolsets }: IdentifyOptions) =>
  async (request: Request): Promise<HttpCaller | Response> => {
    const identity = await authenticate(request);
    if (identity instanceof Response) return identity;
    const restriction = requestRestriction(request, identity.restriction, toolsets);
    if (restriction instanceof Response) return restriction;
    const credential = platformTokenIn(request);
    if (credential instanceof Response) return credential;
    if (!credential && !holdsToken) return platformTokenNeeded();
    return {
      ...identity,
      identity: identity.principal,
      // Cached data that one token may read must not reach another.
      principal: credential ? `${identity.principal}+${credential.key}` : identity.principal,
      restriction: { ...restriction, name: `${policyVersion()}/${restriction.name}` },
      credential,
    };
  };
