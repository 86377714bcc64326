import * as z from 'zod';
import { outcomes } from '../guard/record.ts';
import { readLine } from './chain.ts';
import { linesOf } from './lines.ts';

// Loose: a log may have been written by a later version.
const Call = z.looseObject({
  chain: z.string(),
  at: z.string(),
  request_id: z.string(),
  who: z.string(),
  connection: z.string().optional(),
  tool: z.string(),
  tier: z.string().optional(),
  target: z.looseObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() }).optional(),
  plan: z.string().optional(),
  confirmed: z.string().optional(),
  outcome: z.enum(outcomes).optional(),
  why: z.string().optional(),
  duration_ms: z.number().optional(),
});

const Entry = Call.extend({ kind: z.enum(['intent', 'outcome']) });

/** A call as the log tells of it: its intent and its outcome in one. Without `outcome` nobody recorded how it ended. */
export type RecordedCall = z.infer<typeof Call>;

/**
 * The newest calls of a log, oldest first. Lines that can't be read are passed over: whether a log is whole `verifyLog`
 * tells.
 * @param files the log, oldest file first.
 */
export async function readCalls(files: readonly string[], most: number): Promise<RecordedCall[]> {
  const ended: RecordedCall[] = [];
  const begun = new Map<string, RecordedCall>();
  for await (const { bytes } of linesOf(files)) {
    const entry = Entry.safeParse(readLine(bytes)?.entry).data;
    if (!entry) continue;
    const { kind, ...call } = entry;
    const key = `${call.chain} ${call.request_id}`;
    if (kind === 'intent') {
      begun.set(key, call);
      continue;
    }
    ended.push({ ...call, at: begun.get(key)?.at ?? call.at });
    begun.delete(key);
    if (ended.length > most) ended.shift();
  }
  return [...ended, ...begun.values()].toSorted((one, other) => one.at.localeCompare(other.at)).slice(-most);
}
