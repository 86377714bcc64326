import * as z from 'zod';
import { outcomes } from './call-records.ts';
import { parseLine } from './chain.ts';
import { readLines } from './read-lines.ts';

// Loose: a log may have been written by a later version.
const Call = z.looseObject({
  chain: z.string(),
  at: z.string(),
  /** Absent of decisions. */
  request_id: z.string().optional(),
  who: z.string(),
  connection: z.string().optional(),
  tool: z.string(),
  tier: z.string().optional(),
  target: z.looseObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional(), path: z.string().optional(), more: z.number().optional() }).optional(),
  plan: z.string().optional(),
  confirmed: z.string().optional(),
  outcome: z.enum([...outcomes, 'approved', 'not_made']).optional(),
  why: z.string().optional(),
  duration_ms: z.number().optional(),
});

const CallLine = Call.extend({ kind: z.enum(['intent', 'outcome']), request_id: z.string() });

const DecisionLine = Call.extend({ kind: z.literal('decision'), code: z.string(), caller: z.string(), verdict: z.enum(['approved', 'refused', 'not_made']) });

/**
 * A call as the log tells of it: its intent and its outcome in one; without `outcome` nobody recorded how it ended. Or a
 * decision of the operator, whose outcome is what they decided.
 */
export type RecordedCall = z.infer<typeof Call>;

/** What a call is about, in words: kind and path, or else name, or else id. */
export function recordedTargetText({ target }: RecordedCall): string {
  if (!target) return '';
  const { kind, path, name, id, more } = target;
  return [kind, path ?? name ?? id, more === undefined ? undefined : `and ${more} more`].filter((part) => part !== undefined).join(' ');
}

/** A decision as a line of its own: under which code, and whose call it was, is what there is to say beside it. */
const callOfDecision = (decision: z.infer<typeof DecisionLine>): RecordedCall => ({ ...decision, outcome: decision.verdict, why: `${decision.code}, asked by ${decision.caller}` });

/**
 * The newest calls and decisions of a log, oldest first. Lines that can't be read are passed over: whether a log is whole `verifyLog`
 * tells.
 * @param files the log, oldest file first.
 */
export async function readCalls(files: readonly string[], most: number): Promise<RecordedCall[]> {
  const ended: RecordedCall[] = [];
  const begun = new Map<string, RecordedCall>();
  const add = (call: RecordedCall): void => {
    ended.push(call);
    if (ended.length > most) ended.shift();
  };
  for await (const { bytes } of readLines(files)) {
    const read = parseLine(bytes)?.entry;
    const decision = DecisionLine.safeParse(read).data;
    if (decision) add(callOfDecision(decision));
    const entry = CallLine.safeParse(read).data;
    if (!entry) continue;
    const { kind, ...call } = entry;
    const key = `${call.chain} ${call.request_id}`;
    if (kind === 'intent') {
      begun.set(key, call);
      continue;
    }
    add({ ...call, at: begun.get(key)?.at ?? call.at });
    begun.delete(key);
  }
  return [...ended, ...begun.values()].toSorted((one, other) => one.at.localeCompare(other.at)).slice(-most);
}
