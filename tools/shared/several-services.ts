import * as z from 'zod';
import { isAtRest, serviceKinds } from '../../src/contract/index.ts';
import {
  idsInLists,
  recordsIn,
  tableText,
  type JsonRecord,
  type NextCall,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { asBefore, serviceCandidates, summaryRow, withPresentStates, type Candidate } from './service-choice.ts';
import { defaultWait, pollInterval, reserve } from './wait-for-end.ts';
import { tellIfOneByOne } from './one-by-one.ts';

/** Texts for a change to several services. */
export interface SeveralWords {
  /** The requested action, such as `stopping`. */
  readonly accepted: string;
  /** The successful result, such as `stopped`. */
  readonly done: string;
  /** What can be done with services to which it applies, such as `stopped`. */
  readonly can: string;
  /** The states that count as this result. */
  readonly goodStates: readonly string[];
  /** The kinds of services that can have it. */
  readonly kinds: readonly string[];
}

/** Reads the states of services repeatedly until no action on the changed ones is in progress, or the time is up. */
async function afterTheEnd(
  all: readonly Candidate[],
  sent: ReadonlySet<string>,
  context: ToolContext,
): Promise<readonly Candidate[]> {
  const startedAt = context.now();
  for (;;) {
    const elapsed = context.now() - startedAt;
    const left = Math.min(defaultWait * 1000 - elapsed, context.timeLeft() - reserve);
    // Also before the first look: what was just requested has not ended yet, and may not even show.
    await context.pause(Math.min(pollInterval(elapsed, context), Math.max(0, left)));
    context.forget();
    const now = await withPresentStates(all, context);
    const open = now.filter(({ id, state }) => sent.has(id) && state !== undefined && !isAtRest(state));
    if (open.length === 0 || left <= 0 || context.isAborted()) return now;
    context.progress(`${open.length} of ${sent.size} not at rest yet`);
  }
}

/** The chosen services as they are now, in the end or, if nobody waits, on the way to it. */
async function afterTheChange(
  { wait, ...choice }: Parameters<typeof serviceCandidates>[0] & { readonly wait?: boolean },
  sent: ReadonlySet<string>,
  context: ToolContext,
): Promise<readonly Candidate[]> {
  const all = await serviceCandidates(choice, asBefore(context));
  if (sent.size === 0) return all;
  return wait === true ? afterTheEnd(all, sent, context) : withPresentStates(all, context);
}

function outcomeOf({ state }: Candidate, { accepted, done, goodStates }: SeveralWords): string {
  if (state === undefined) return `${accepted}, how it goes on can not be read`;
  if (goodStates.includes(state)) return done;
  return isAtRest(state) ? 'failed' : accepted;
}

/** The ids of the services that a request named: in lists, or as its target. */
const idsSent = (input: JsonRecord): readonly string[] => [
  ...idsInLists(input),
  ...serviceKinds.flatMap((kind) => (typeof input[`${kind}_id`] === 'string' ? [String(input[`${kind}_id`])] : [])),
];

/** The summary of a change to several services: the result for each, and which were left out and why. */
export async function severalAnswer(
  args: Parameters<typeof serviceCandidates>[0] & { readonly wait?: boolean },
  context: ToolContext,
  {
    words,
    reasonAgainst,
  }: {
    readonly words: SeveralWords;
    readonly reasonAgainst: (candidate: Candidate) => string | undefined | Promise<string | undefined>;
  },
): Promise<JsonRecord> {
  const sent = new Set(context.sent.flatMap(idsSent));
  tellIfOneByOne(context);
  const all = await afterTheChange(args, sent, context);
  const changed = all.filter(({ id }) => sent.has(id));
  const others = all.filter(({ id }) => !sent.has(id));
  const reasons = await Promise.all(others.map(async (one) => reasonAgainst(one)));
  const notListed = [...sent].filter((id) => !all.some((one) => one.id === id));
  return {
    asked: sent.size,
    results: [
      ...changed.map((one) => summaryRow(one, args.wait === true ? outcomeOf(one, words) : words.accepted)),
      ...notListed.map((id) => ({ what: `${words.accepted}, how it goes on can not be read`, id })),
      ...others.map((one, index) => summaryRow(one, `left out: ${reasons[index] ?? 'changed since it was looked at'}`)),
    ],
  };
}

const columns = ['service', 'kind', 'mode', 'what', 'state', 'id'];

/** Answer schema and renderer of such a summary. */
export const severalOutput = z.object({
  asked: z.int(),
  results: z.array(
    z.object({
      service: z.string(),
      kind: z.string(),
      mode: z.string(),
      what: z.string(),
      state: z.string(),
      id: z.string(),
    }),
  ),
});

export const severalRender: Renderer = {
  view: (answer) => answer,
  text: ({ asked, results }) => {
    const rows = recordsIn(results);
    return rows.length === 0
      ? 'No service is there.'
      : [
          `${String(asked)} of ${rows.length} services; the others are left as they are.`,
          tableText(rows, columns),
        ].join('\n');
  },
  keep: 'first',
};

/**
 * Why a change to several services, of which none was sent, changes nothing: there is no service, or none of them can be
 * changed. Undefined if each is already what it was to be.
 */
export const whyNoneChanged =
  ({ goodStates, kinds, can }: SeveralWords) =>
  ({ results }: JsonRecord): string | undefined => {
    const rows = recordsIn(results);
    if (rows.length === 0) return 'there is no such service';
    return rows.every(({ kind, state }) => kinds.includes(String(kind)) && goodStates.includes(String(state)))
      ? undefined
      : `none of these services can be ${can}; the reason is beside each`;
  };

/** Proposes to wait for the first one that has not finished. */
export const severalNext =
  (accepted: string, action: string) =>
  (view: JsonRecord): readonly NextCall[] => {
    const open = ((view['results'] ?? []) as readonly JsonRecord[]).find(({ what }) => what === accepted);
    return open === undefined
      ? []
      : [{ tool: 'wait_for_deployment', arguments: { service: open['id'], action }, why: 'whether it succeeds' }];
  };
