import { createHmac, randomInt } from 'node:crypto';
import { openSealed, sealBytes, type KeyProvider } from '../../context/index.ts';
import { isRecord, parseJson } from '../../../contract/index.ts';
import { clean } from '../../redaction/index.ts';
import type { Plan } from '../planned-call.ts';
import type { Deciders } from './deciders.ts';
import type { Verdict } from '../storage/tables.ts';
import type { FoundRecord, WaitingRecord } from '../storage/waiting-records.ts';

/** A call that waits for the operator. Contains nothing that may not be shown. */
export interface Pending {
  readonly code: string;
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  readonly principal: string;
  /** The caller's identity, independent of its permission on the platform. Absent in records of earlier versions. */
  readonly identity?: string;
  /** The name that the client gives itself; absent if it gives none, or in records of earlier versions. */
  readonly clientName?: string | undefined;
  /** The conversation in which a person asks through a bot; absent if the bot names none, or in records of earlier versions. */
  readonly conversation?: string | undefined;
  readonly plan: Plan;
  /** The text to type to approve it; undefined if saying yes is enough. */
  readonly typed?: string;
  /** Who may decide on it; absent where operators have no names. */
  readonly deciders?: Deciders | undefined;
  /** Identifies the log to which the call is recorded. Absent in records of earlier versions. */
  readonly log?: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** The target of a waiting call. Calls stored by an earlier version have no path. */
export const waitingTarget = ({ plan: { target } }: Pending): string => target.path ?? target.id ?? target.kind;

/**
 * The conversation in which a call was asked for, on one line. Names that look like secrets are masked where a bot's
 * request is read.
 */
export const conversationText = ({ conversation }: Pick<Pending, 'conversation'>): string =>
  conversation === undefined ? 'not told' : clean(conversation);

/** A time to the second: `2026-11-20 10:00:00 UTC`. @param at milliseconds since 1970. */
export const exactTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The address that shows one waiting call. @param page address of the approvals page. */
export const waitingCallAddress = (page: string, code: string): string => `${page}?code=${code}`;

/** The address of the resource that tells whoever made a waiting call what became of it. */
export const waitingCallUri = (code: string): string => `infra://approval/${code}`;

/** A waiting call as stored, with its seal and, once made, the operator's decision. */
export interface StoredCall extends Pick<FoundRecord, 'seal' | 'decision'> {
  readonly pending: Pending;
}

/** The text that the operator signs: a verdict on exactly this record. */
export const signedText = (seal: string, verdict: Verdict): string => `${verdict} ${seal}`;

// Without letters and digits that look alike.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

const fourLetters = (): string => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A random code that people can read to each other, such as `K7QM-2XRD`. */
export const newCode = (): string => `${fourLetters()}-${fourLetters()}`;

const codeForm = new RegExp(`^[${alphabet}]{4}-[${alphabet}]{4}$`);

/** Whether a text has the form of a code. No other text is looked up: databases don't accept every character. */
export const isCode = (text: string): boolean => codeForm.test(text);

/** A typed code, in the form in which it is stored. */
export const normalCode = (typed: string): string => typed.trim().toUpperCase();

/**
 * Seals waiting calls for a store, and reads them back. The store reveals neither the effects of a call nor its caller.
 * Ignores records that were changed without the keys.
 */
export function callSealer(keys: KeyProvider) {
  const hashOf = (text: string): string => createHmac('sha256', keys('approval')).update(text).digest('base64url');
  const sealOf = (record: string): string => hashOf(`sealed ${record}`);

  const open = ({ record, seal, decision }: FoundRecord): StoredCall | undefined => {
    const stored = parseJson(record);
    if (!isRecord(stored)) return undefined;
    const { sealed } = stored;
    // Earlier versions stored the call itself. Remaining ones expire within minutes.
    if (sealed === undefined)
      return seal === hashOf(record)
        ? { pending: stored as unknown as Pending, seal, ...(decision && { decision }) }
        : undefined;
    const opened =
      seal === sealOf(record) && typeof sealed === 'string'
        ? openSealed(sealed, keys('waiting call'), 'waiting call')
        : undefined;
    return opened && { pending: JSON.parse(opened.toString()) as Pending, seal, ...(decision && { decision }) };
  };

  return {
    seal: (pending: Pending): WaitingRecord => {
      const { code, call, expiresAt } = pending;
      // The calls of a caller are counted by it, so it is the same for all of them.
      const identity = hashOf(`identity ${pending.identity ?? pending.principal}`);
      const record = JSON.stringify({
        identity,
        sealed: sealBytes(Buffer.from(JSON.stringify(pending)), keys('waiting call'), 'waiting call'),
      });
      return { code, call, identity, record, seal: sealOf(record), expiresAt };
    },
    /**
     * The unchanged records that have not expired according to their sealed content: the columns by which they were
     * found may have been changed.
     */
    open: (found: readonly FoundRecord[], now: number): StoredCall[] =>
      found.flatMap((one) => open(one) ?? []).filter(({ pending }) => pending.expiresAt > now),
  };
}

/** The record with a code. */
export const callWithCode = (calls: readonly StoredCall[], code: string): StoredCall | undefined =>
  calls.find(({ pending }) => pending.code === code);

/** The newest record of a call. */
export const newestOf = (calls: readonly StoredCall[], call: string): StoredCall | undefined =>
  calls.findLast(({ pending }) => pending.call === call);
