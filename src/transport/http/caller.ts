import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Credential } from '../../client/index.ts';
import type { PermissionLevel } from '../../contract/index.ts';
import type { Rules } from '../../server/guard/index.ts';
import type { Caller } from '../../server/protocol/index.ts';

/** The tools that a request chooses. */
export interface ToolChoice {
  readonly tools: ReadonlySet<string>;
  /** Why the others are left out, for the response to a call of one of them. */
  readonly leavesOutOthers: string;
}

/** Rules for one caller in addition to the operator's policy. They can only narrow what is allowed and offered. */
export interface Restriction {
  /** Identifies the restriction: equal names mean equal rules and tools. */
  readonly name: string;
  readonly rules: readonly Rules[];
  /** Default: the tools that the server offers where nothing is chosen. */
  readonly choice?: ToolChoice;
}

/** The sender of a request and its rights. */
export interface HttpCaller {
  /** Identity plus platform credential. Budgets, caches and confirmations are separate for each principal. */
  readonly principal: string;
  /** The key or subject, whatever platform credential it sends. Resource usage is counted by identity. */
  readonly identity: string;
  /** The conversation in which a person asks through a bot, if the bot names one. It proves nothing. */
  readonly conversation?: string;
  /** The highest permission level that it may use. */
  readonly level: PermissionLevel;
  /**
   * The response when a tool needs a higher level: it says how to get that level. Absent if the caller can't get one;
   * its restriction then refuses such calls.
   */
  readonly stepUp?: (needed: PermissionLevel, tool: string) => Response;
  /** The platform credential that the caller sent, if any. */
  readonly credential?: Credential;
  readonly restriction: Restriction;
  /** When its access token expires, in milliseconds since 1970; absent for credentials that don't expire. */
  readonly validUntil?: number;
}

/**
 * Whether two requests have the same sender under the same rules. A key's level is among its rules; an access token's
 * may rise from one request to the next.
 */
export const sameRights = (one: HttpCaller, other: HttpCaller): boolean =>
  one.principal === other.principal && one.restriction.name === other.restriction.name;

/** One HTTP request as the MCP server sees it. */
export interface HttpCall {
  readonly caller: HttpCaller;
  readonly call: Caller;
  /**
   * Identifies the sender of the request again, by the current keys and policy. Also true while that can't be
   * determined because an authorization server doesn't respond.
   */
  readonly hasSameRights: () => Promise<boolean>;
}

/** Wraps a call so that the MCP library passes it through as its authorization info. */
export const authInfoOf = (call: HttpCall): AuthInfo => ({
  // The caller's bearer token ends here: no code after this point may see it.
  token: '',
  clientId: call.caller.principal,
  scopes: [],
  extra: { call },
});

/** Unwraps the call that `authInfoOf` wrapped. */
export const callOf = (authInfo: AuthInfo | undefined): HttpCall => authInfo?.extra?.['call'] as HttpCall;
