import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Credential } from '../../client/credential.ts';
import type { PermissionLevel } from '../../contract/operation.ts';
import type { Rules } from '../../server/guard/policy/rules.ts';
import type { Caller } from '../../server/protocol/caller.ts';

/** What a caller is held to, beyond what the operator set for everybody. Nothing here allows more. */
export interface Restriction {
  /** The same for the same rules, and only for them. */
  readonly name: string;
  readonly rules: readonly Rules[];
}

/** Who sent a request, and what it may do. */
export interface HttpCaller {
  /** Names who it is and with what right on the platform. Budgets, caches and confirmations are kept apart by it. */
  readonly principal: string;
  /** Who it is, whatever right it brought along: by it is counted what it takes up. */
  readonly identity: string;
  /** Highest level of operations it may call. */
  readonly level: PermissionLevel;
  /** The answer when a tool needs a higher level: how the caller can get it. Absent where it can't: then its restriction has such calls refused. */
  readonly stepUp?: (needed: PermissionLevel, tool: string) => Response;
  /** What the platform is called with, where the caller brought its own right. */
  readonly credential?: Credential;
  readonly restriction: Restriction;
}

/** One HTTP request as the MCP server sees it. */
export interface HttpCall {
  readonly caller: HttpCaller;
  readonly call: Caller;
}

/** Hands a call through the MCP library, which asks for nothing but that it looks like an authorization. */
export const authInfoOf = (call: HttpCall): AuthInfo => ({
  // The caller's bearer ends here: nothing behind this point may see it.
  token: '',
  clientId: call.caller.principal,
  scopes: [],
  extra: { call },
});

/** The call that `authInfoOf` handed through. */
export const callOf = (authInfo: AuthInfo | undefined): HttpCall => authInfo?.extra?.['call'] as HttpCall;
