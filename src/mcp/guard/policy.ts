import type { Tool } from '../tool.ts';

/** What the operator allows. */
export interface Policy {
  /** Nothing but reads. */
  readonly readOnly: boolean;
}

/** Why a tool may not run: the rule, where it is set, and what is allowed instead. */
export interface Denial {
  readonly rule: string;
  readonly setBy: string;
  readonly instead: string;
}

const readOnly: Denial = {
  rule: 'this server is read-only',
  setBy: 'INFRA_READ_ONLY',
  instead: 'The tools that read are allowed; to change something, ask whoever runs this server.',
};

/** Why the policy forbids a tool, or undefined. Tools that it can never allow aren't listed either. */
export const denialOf = (tool: Tool, policy: Policy): Denial | undefined =>
  policy.readOnly && tool.operation.effect !== 'read' ? readOnly : undefined;
