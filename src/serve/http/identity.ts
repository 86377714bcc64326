import { refuse } from './answers.ts';
import type { HttpCaller } from './caller.ts';
import { platformTokenIn, platformTokenNeeded } from './platform-token.ts';
import { restrictionOf } from './restriction.ts';

/** Who somebody is, before anything the request itself adds. */
export type Identity = Omit<HttpCaller, 'credential'>;

/** Finds out who sent a request, or answers why it doesn't know. */
export type Authenticate = (request: Request) => Promise<Identity | Response>;

/** Whoever reaches a host that serves one machine only. */
export const local: Authenticate = async () => ({
  principal: 'local',
  level: 'admin',
  restriction: { readOnly: false },
  stepUp: (needed, tool) => refuse({ status: 403, message: `${tool} needs the level "${needed}".` }),
});

/**
 * Finds out who calls, and with what right on the platform.
 * @param options.holdsToken whether this server has a token of its own for the platform.
 */
export const identifyWith =
  (authenticate: Authenticate, { holdsToken }: { readonly holdsToken: boolean }) =>
  async (request: Request): Promise<HttpCaller | Response> => {
    const identity = await authenticate(request);
    if (identity instanceof Response) return identity;
    const restriction = restrictionOf(request, identity.restriction);
    if (restriction instanceof Response) return restriction;
    const credential = platformTokenIn(request);
    if (credential instanceof Response) return credential;
    if (!credential && !holdsToken) return platformTokenNeeded();
    // What one token may see must not come out of a cache to another.
    const principal = credential ? `${identity.principal}+${credential.key}` : identity.principal;
    return { ...identity, principal, restriction, credential };
  };
