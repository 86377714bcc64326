import { openSealed, sealBytes, type KeyProvider } from '../../context/index.ts';
import type { GuardStore } from '../storage/guard-store.ts';
import type { DecisionNote } from './operator-decisions.ts';
import { readOperators } from './operators.ts';
import { callSealer, isCode, normalCode, type Pending, type StoredCall } from './pending-calls.ts';
import type { Named, Settled, Verdicts } from './verdicts.ts';

/** How a call stopped waiting, other than by its time being over. */
export type Ending =
  /** It was carried out with the approval. */
  | { readonly kind: 'used'; readonly how: DecisionNote['how']; readonly by?: readonly string[] }
  | Extract<Settled, { kind: 'refused' | 'invalid' }>
  /** What it acts on, or who may decide, changed after the decision. */
  | { readonly kind: 'changed' }
  /** What it acts on, or who may decide, changed before anybody decided: the call waits under another code. */
  | { readonly kind: 'replaced' };

/** What became of a call that waited for an operator. */
export type Progress =
  /** `agreed`: how many operators agreed, if more than one has to. */
  | { readonly kind: 'waiting'; readonly agreed?: { readonly count: number; readonly needed: number } }
  | Settled
  | Ending
  /** Nobody decided in time, or the call was not repeated in time. */
  | { readonly kind: 'expired' };

/** The states of calls, in the order in which they may follow each other. */
export const progressKinds = [
  'waiting',
  'approved',
  'used',
  'refused',
  'changed',
  'replaced',
  'invalid',
  'expired',
] as const satisfies readonly Progress['kind'][];

/** A call that waits, or waited not long ago, for whoever made it. */
export interface CallState extends Pick<Pending, 'code' | 'plan' | 'askedAt' | 'expiresAt'> {
  readonly progress: Progress;
  /** Whether it may still change. */
  readonly isOpen: boolean;
  /** When it ended, in milliseconds since 1970; absent if it hasn't, or expired. */
  readonly endedAt?: number;
}

type StoredEnding = Ending & { readonly code: string; readonly at: number };

const purpose = 'ended call';

/** An ending for the store. It names its call, so that it can't be put in the place of another one's. */
export const sealEnding = (ending: StoredEnding, keys: KeyProvider): string =>
  sealBytes(Buffer.from(JSON.stringify(ending)), keys('waiting call'), purpose);

function openEnding(sealed: string, code: string, keys: KeyProvider): StoredEnding | undefined {
  const opened = openSealed(sealed, keys('waiting call'), purpose);
  const ending = opened && (JSON.parse(opened.toString()) as StoredEnding);
  return ending?.code === code ? ending : undefined;
}

interface StatesConfig {
  readonly store: Pick<GuardStore, 'waiting'>;
  readonly keys: KeyProvider;
  /** Path of the operators file, if there is one. */
  readonly operators: string | undefined;
}

/**
 * Reads what became of calls. It reads only, by the clock of this process, because clients that subscribed make it read
 * again and again: around the end of a call's time it may differ from the store's clock by what theirs differ.
 */
export function callStates({ store, keys, operators }: StatesConfig, verdicts: Verdicts) {
  /** Who may decide, as it was fixed when the call began to wait. */
  const peopleOf = async ({ deciders }: Pending): Promise<Named | undefined> =>
    operators === undefined || !deciders ? undefined : { named: await readOperators(operators), deciders };

  const progressOf = async (stored: StoredCall): Promise<Progress> => {
    const { decision } = stored;
    const people = await peopleOf(stored.pending);
    if (decision) return verdicts.of({ ...stored, decision }, people);
    if (!people || people.deciders.needed === 1) return { kind: 'waiting' };
    const count = (await verdicts.decisionsOn(stored, people)).length;
    return { kind: 'waiting', agreed: { count, needed: people.deciders.needed } };
  };

  return async (typed: string, principal: string, now: number): Promise<CallState | undefined> => {
    const code = normalCode(typed);
    const found = isCode(code) ? await store.waiting.known(code) : undefined;
    // Those that have expired are opened too.
    const [stored] = found ? callSealer(keys).open([found], 0) : [];
    if (!found || !stored || stored.pending.code !== code || stored.pending.principal !== principal) return undefined;
    const { plan, askedAt, expiresAt } = stored.pending;
    const call = { code, plan, askedAt, expiresAt };
    if (!found.isEnded && expiresAt > now) return { ...call, progress: await progressOf(stored), isOpen: true };
    if (found.ending === undefined) return { ...call, progress: { kind: 'expired' }, isOpen: false };
    const ending = openEnding(found.ending, code, keys);
    if (!ending) return undefined;
    const { at, code: _, ...progress } = ending;
    return { ...call, progress, isOpen: false, endedAt: at };
  };
}
