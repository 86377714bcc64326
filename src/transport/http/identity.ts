import type { HttpCaller } from './caller.ts';
import type { FindPerson } from './person.ts';
import { platformTokenIn, platformTokenNeeded } from './platform-token.ts';
import { requestRestriction, unrestricted } from './restriction.ts';
import type { OfferedToolsets } from './toolset-choice.ts';
import type { HttpRequest } from './http-request.ts';

/** The caller as authenticated, before the request's own headers are applied. */
export interface Identity extends Omit<HttpCaller, 'credential' | 'identity'> {
  /** Set if the caller is a bot that speaks for people: it signs with this key who they are. */
  readonly personKey?: Uint8Array | undefined;
}

/** Authenticates the sender of a request, or returns the response that rejects it. */
export type AuthenticateCaller = (request: HttpRequest) => Promise<Identity | Response>;

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
  readonly findPerson: FindPerson;
}

/** Creates a function that determines the caller of a request, its restriction and its platform credential. */
export const createIdentify =
  (authenticate: AuthenticateCaller, { holdsToken, policyVersion, toolsets, findPerson }: IdentifyOptions) =>
  async (request: HttpRequest): Promise<HttpCaller | Response> => {
    const authenticated = await authenticate(request);
    if (authenticated instanceof Response) return authenticated;
    const { personKey, ...identity } = authenticated;
    const who = findPerson(request, { principal: identity.principal, personKey });
    if (who instanceof Response) return who;
    const restriction = requestRestriction(request, identity.restriction, toolsets);
    if (restriction instanceof Response) return restriction;
    const credential = platformTokenIn(request);
    if (credential instanceof Response) return credential;
    if (!credential && !holdsToken) return platformTokenNeeded();
    return {
      ...identity,
      identity: who.principal,
      ...(who.conversation !== undefined && { conversation: who.conversation }),
      // Cached data that one token may read must not reach another.
      principal: credential ? `${who.principal}+${credential.key}` : who.principal,
      restriction: { ...restriction, name: `${policyVersion()}/${restriction.name}` },
      credential,
    };
  };
