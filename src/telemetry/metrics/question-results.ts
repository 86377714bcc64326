import type { CallEnd } from '../../server/call/index.ts';

/** The respondent of a question, and its result. */
export interface QuestionResult {
  readonly by: 'user' | 'operator' | 'caller' | 'unknown';
  readonly result: 'asked' | 'agreed' | 'refused' | 'expired' | 'void';
}

const agreed: Readonly<Record<NonNullable<CallEnd['confirmed']>, QuestionResult | undefined>> = {
  not_needed: undefined,
  elicited: { by: 'user', result: 'agreed' },
  terminal: { by: 'operator', result: 'agreed' },
  page: { by: 'operator', result: 'agreed' },
  chat: { by: 'operator', result: 'agreed' },
  unattended: { by: 'caller', result: 'agreed' },
};

const refusedByUser: QuestionResult = { by: 'user', result: 'refused' };
const withoutEffect: QuestionResult = { by: 'unknown', result: 'void' };

const refused: Readonly<Record<string, QuestionResult>> = {
  declined: refusedByUser,
  dismissed: refusedByUser,
  not_agreed: refusedByUser,
  operator_refused: { by: 'operator', result: 'refused' },
  invalid: withoutEffect,
  other_call: withoutEffect,
  changed: withoutEffect,
  used: withoutEffect,
};

const askedUser: QuestionResult = { by: 'user', result: 'asked' };

/**
 * The question to the operator, which is counted when the call starts to wait: the same call may be repeated often
 * until it is decided.
 */
export const askedOperator: QuestionResult = { by: 'operator', result: 'asked' };
export const expiredAtOperator: QuestionResult = { by: 'operator', result: 'expired' };

/** Every result that is counted, so that each has a sample from the start. */
export const questionResults: readonly QuestionResult[] = [
  ...new Set([askedUser, ...Object.values(agreed), ...Object.values(refused), askedOperator, expiredAtOperator]),
].filter((one) => one !== undefined);

/** The result of a question that the end of a call shows; undefined if there was none. */
export function questionResultOf({ outcome, why, confirmed }: CallEnd): QuestionResult | undefined {
  if (confirmed !== undefined) return agreed[confirmed];
  if (outcome === 'asked') return askedUser;
  return outcome === 'refused' && why !== undefined && Object.hasOwn(refused, why) ? refused[why] : undefined;
}
