import { openSealed, sealBytes, type KeyProvider } from '../../context/index.ts';
import type { OperatorDecision } from '../storage/waiting-records.ts';
import type { Verdict } from '../storage/tables.ts';
import { isSigned, isSignedWithHash, isSignedWithSeed, operatorKeyFrom } from './operator-secret.ts';
import type { NamedOperator } from './operators.ts';

/** Where and why an operator decided. */
export interface DecisionNote {
  readonly how: 'terminal' | 'page' | 'chat';
  /** Why they refused, for the caller. */
  readonly reason?: string | undefined;
  /** The chat's channel and message. */
  readonly channel?: string | undefined;
  readonly message?: string | undefined;
}

/** A decision whose signature was verified. */
export interface VerifiedDecision extends Pick<OperatorDecision, 'operator' | 'verdict' | 'signature'> {
  readonly note: DecisionNote;
}

const purpose = 'decision note';

/** The text that a named operator signs: a verdict on exactly this record, and where and why it was made. */
const decisionText = (seal: string, { operator, verdict, note }: Omit<OperatorDecision, 'signature'>): string =>
  JSON.stringify([verdict, seal, operator, note]);

/**
 * The seed of the key that signs decisions from a chat, in which nobody enters a secret: this server signs what the chat
 * told it. Whoever reads the keys directory could sign as well.
 */
const chatSeed = (keys: KeyProvider): Buffer => Buffer.from(keys('chat decision'));

/** Signs decisions from a chat. */
export const chatSigner = (keys: KeyProvider): ((text: string) => string) => operatorKeyFrom(chatSeed(keys)).sign;

/** A signed decision for the store. @param sign the operator's, or that of the chat. */
export function signedDecision(
  seal: string,
  { operator, verdict, note }: { readonly operator: string; readonly verdict: Verdict; readonly note: DecisionNote },
  sign: (text: string) => string,
  keys: KeyProvider,
): OperatorDecision {
  const sealed = sealBytes(Buffer.from(JSON.stringify(note)), keys('waiting call'), purpose);
  const unsigned = { operator, verdict, note: sealed };
  return { ...unsigned, signature: sign(decisionText(seal, unsigned)) };
}

/** The operator without a name, in decisions that have a note. No operator with a name has this one. */
export const operatorWithoutName = '';

/**
 * The note on a refusal of the operator without a name; undefined if there is none with their signature.
 * @param operator path of the file with their public key.
 */
export async function notedRefusal(
  seal: string,
  decisions: readonly OperatorDecision[],
  { operator, keys }: { readonly operator: string; readonly keys: KeyProvider },
): Promise<DecisionNote | undefined> {
  const decision = decisions.find((one) => one.operator === operatorWithoutName && one.verdict === 'refused');
  const opened = decision && openSealed(decision.note, keys('waiting call'), purpose);
  if (!opened || !(await isSigned(operator, decisionText(seal, decision), decision.signature))) return undefined;
  return JSON.parse(opened.toString()) as DecisionNote;
}

/**
 * A stored decision with its note; undefined if its signature isn't that of its operator, or of the chat.
 * @param seal of the record that it is about.
 * @param acceptsChat whether this process takes decisions from a chat.
 */
export function verifiedDecision(
  seal: string,
  decision: OperatorDecision,
  operators: readonly NamedOperator[],
  { keys, acceptsChat }: { readonly keys: KeyProvider; readonly acceptsChat: boolean },
): VerifiedDecision | undefined {
  const operator = operators.find(({ name }) => name === decision.operator);
  const opened = openSealed(decision.note, keys('waiting call'), purpose);
  if (!operator || !opened) return undefined;
  const note = JSON.parse(opened.toString()) as DecisionNote;
  const text = decisionText(seal, decision);
  const isTheirs =
    note.how === 'chat'
      ? acceptsChat && operator.chat.length > 0 && isSignedWithSeed(chatSeed(keys), text, decision.signature)
      : operator.secret !== undefined && isSignedWithHash(operator.secret, text, decision.signature);
  return isTheirs
    ? { operator: operator.name, verdict: decision.verdict, signature: decision.signature, note }
    : undefined;
}
