import * as z from 'zod';
import { EnvironmentMode, isServiceKind, namesIn, type ReferenceKind } from '../../contract/index.ts';
import type { Target } from '../context/index.ts';
import { outcomes } from './call-records.ts';
import { parseLine } from './chain.ts';
import { readLines } from './read-lines.ts';

const Place = z.looseObject({ id: z.string().optional(), name: z.string().optional() }).optional().catch(undefined);

// Loose, because a later version may have written the log.
const Call = z.looseObject({
  chain: z.string(),
  at: z.string(),
  /** Absent in decisions. */
  request_id: z.string().optional(),
  who: z.string(),
  conversation: z.string().optional().catch(undefined),
  connection: z.string().optional(),
  client: z.string().optional(),
  tool: z.string(),
  tier: z.string().optional(),
  target: z
    .looseObject({
      kind: z.string(),
      id: z.string().optional(),
      name: z.string().optional(),
      path: z.string().optional(),
      more: z.number().optional(),
      mode: z.string().optional().catch(undefined),
      project: Place,
      environment: Place,
    })
    .optional(),
  plan: z.string().optional(),
  confirmed: z.string().optional(),
  agreed_by: z.array(z.string()).optional().catch(undefined),
  outcome: z.enum([...outcomes, 'approved', 'not_made']).optional(),
  why: z.string().optional(),
  duration_ms: z.number().optional(),
});

const CallLine = Call.extend({ kind: z.enum(['intent', 'outcome']), request_id: z.string() });

const DecisionLine = Call.extend({
  kind: z.literal('decision'),
  code: z.string(),
  caller: z.string(),
  asked_in: z.string().optional().catch(undefined),
  verdict: z.enum(['approved', 'refused', 'not_made']),
});

/**
 * A call in the log, with its intent and outcome combined; without `outcome`, its end was not recorded. Or a decision
 * of the operator, with the verdict as its outcome.
 */
export type RecordedCall = z.infer<typeof Call>;

/** What else is known of a caller: the name that the client gives itself, and the conversation that a bot named. */
export const recordedAsker = ({ client, conversation }: RecordedCall): string =>
  [client, conversation].filter((part) => part !== undefined).join(', ');

/** The caller as text, with what else is known of it. */
export function recordedCallerText(call: RecordedCall): string {
  const asker = recordedAsker(call);
  return asker === '' ? call.who : `${call.who} (${asker})`;
}

/** The target of a call as text: its kind, and its path, name or id. */
export function recordedTargetText({ target }: RecordedCall): string {
  if (!target) return '';
  const { kind, path, name, id, more } = target;
  return [kind, path ?? name ?? id, more === undefined ? undefined : `and ${more} more`]
    .filter((part) => part !== undefined)
    .join(' ');
}

/**
 * The place of a call's target, as far as the record says it. A read is recorded with names only; those that are missing
 * are unknown.
 */
export function recordedPlace({ target }: RecordedCall): Target | undefined {
  if (!target) return undefined;
  const { id, name, path } = target;
  const kind = target.kind as ReferenceKind;
  const [project, environment] = path === undefined ? [] : namesIn(path);
  const isInEnvironment = kind === 'environment' || isServiceKind(kind);
  const mode = EnvironmentMode.safeParse(target.mode).data ?? (target.mode === 'none' ? 'none' : 'unknown');
  const own = { id, name };
  return {
    kind,
    ...own,
    mode,
    ...((isInEnvironment || kind === 'project') && {
      project: target.project ?? (kind === 'project' ? own : { name: project }),
      ...(isInEnvironment && {
        environment: target.environment ?? (kind === 'environment' ? own : { name: environment }),
      }),
    }),
    ...(target.project && { project: target.project }),
    ...(target.environment && { environment: target.environment }),
  };
}

/** A decision as a recorded call, with the code and the caller as its reason. */
const callOfDecision = (decision: z.infer<typeof DecisionLine>): RecordedCall => ({
  ...decision,
  outcome: decision.verdict,
  why: `${decision.code}, asked by ${decision.caller}${decision.asked_in === undefined ? '' : ` (${decision.asked_in})`}`,
});

/**
 * Reads the newest calls and decisions of a log, oldest first. Skips lines that can't be parsed: `verifyLog` checks the
 * log.
 * @param files the files of the log, oldest first.
 * @param limit the maximum number of calls and decisions: the newest.
 * @param wanted which of them; default: all.
 */
export async function readCalls(
  files: readonly string[],
  limit: number,
  wanted: (call: RecordedCall) => boolean = () => true,
): Promise<RecordedCall[]> {
  const ended: RecordedCall[] = [];
  const intents = new Map<string, RecordedCall>();
  const add = (call: RecordedCall): void => {
    if (!wanted(call)) return;
    ended.push(call);
    if (ended.length > limit) ended.shift();
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
      intents.set(key, call);
      continue;
    }
    add({ ...call, at: intents.get(key)?.at ?? call.at });
    intents.delete(key);
  }
  return [...ended, ...[...intents.values()].filter(wanted)]
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .slice(-limit);
}
