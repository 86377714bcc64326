import { isAtRest, operations } from '../../src/contract/index.ts';
import { eventMembers, tellEvent, type LenientEvent } from '../../src/analysis/index.ts';
import {
  isRecord,
  isSecretName,
  organizationOf,
  pruneRecord,
  readUses,
  recordsIn,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { ifPossible } from './if-possible.ts';
import { isOver, mayBeUnseen, pollInterval, settlingTime } from './wait-for-end.ts';

/** The reads of a wait for the upgrade of a cluster. */
export const upgradeReads: readonly ReadUse[] = [
  ...readUses(
    'the end of a cluster upgrade is not waited for there',
    operations.get_cluster_status,
    operations.get_organization,
  ),
  ...readUses('the version of a cluster is not shown', operations.list_clusters),
  ...readUses('which upgrade of a cluster ended before is not told', operations.list_events),
];

const isBroken = (state: string): boolean => state.endsWith('_ERROR') || state === 'INVALID_CREDENTIALS';

/** Whether no change of a cluster is in progress in this state. That includes an unreachable cluster. */
const isSettled = (state: string): boolean => isAtRest(state) || isBroken(state);

/**
 * Waits until no change of a cluster is in progress. Checks twice if a change was just requested, because it may not be
 * visible immediately.
 */
async function untilSettled(
  context: ToolContext,
  read: () => Promise<JsonRecord>,
  seconds: number,
): Promise<{ readonly status: JsonRecord; readonly wasSeen: boolean }> {
  const startedAt = context.now();
  let wasSeen = false;
  for (let looks = 1; ; looks += 1) {
    // Each check decides whether there is another one.
    const status = await read();
    const state = textOf(status, 'status') ?? '';
    const settled = isSettled(state);
    wasSeen ||= !settled;
    if ((settled && (wasSeen || looks > 1 || !mayBeUnseen(context))) || isOver(context, startedAt, seconds))
      return { status, wasSeen };
    const elapsed = context.now() - startedAt;
    context.progress(`${state}, ${Math.round(elapsed / 1000)} s`);
    context.forget();
    await context.pause(Math.min(settled ? settlingTime : pollInterval(elapsed, context), seconds * 1000 - elapsed));
  }
}

type Outcome = 'succeeded' | 'failed' | 'running' | 'not_seen';

const outcomeOf = (state: string, wasSeen: boolean): Outcome =>
  !isSettled(state) ? 'running' : isBroken(state) ? 'failed' : wasSeen ? 'succeeded' : 'not_seen';

/** The newest upgrade of a cluster that the platform recorded: by whom, when, and from which version to which. */
async function lastUpgrade(
  context: ToolContext,
  organization_id: string,
  cluster: string,
): Promise<JsonRecord | undefined> {
  const page: JsonRecord | undefined = await context.attempt(operations.list_events, {
    organization_id,
    page_size: 1,
    event_type: 'MAINTENANCE',
    target_type: 'CLUSTER',
    target_id: cluster,
  });
  const event = recordsIn(page?.['events']).find(
    (one) => one['event_type'] === 'MAINTENANCE' && one['target_id'] === cluster,
  ) as LenientEvent | undefined;
  if (!event) return undefined;
  const { at, who } = tellEvent(event, isSecretName);
  const [from, to] = [event.original_change, event.change].map((text) => textOf(eventMembers(text), 'version'));
  return pruneRecord({
    at,
    by: who,
    versions: [from, to].filter((version) => version !== undefined).join(' → ') || undefined,
  });
}

/**
 * Waits for the upgrade of a cluster, and returns its outcome and the running version.
 * @throws CallFailure if the platform doesn't show the state of clusters; ApiError if it fails.
 */
export async function awaitUpgrade(
  context: ToolContext,
  cluster: { readonly id: string; readonly name?: string | undefined },
  seconds: number,
): Promise<JsonRecord> {
  const unreadable = (): never =>
    context.refuse(
      'the state of this cluster can not be read here',
      'Ask whoever runs the platform how the upgrade went.',
    );
  const organization_id = (await organizationOf(context)) ?? unreadable();
  const rowNow = async () =>
    rowsIn(await context.attempt(operations.list_clusters, { organization_id })).find(({ id }) => id === cluster.id);
  const startedAt = context.now();
  const from = textOf(await rowNow(), 'version');
  const { status, wasSeen } = await untilSettled(
    context,
    async () =>
      (await context.attempt(operations.get_cluster_status, { organization_id, cluster_id: cluster.id })) ??
      unreadable(),
    seconds,
  );
  const state = textOf(status, 'status') ?? 'unknown';
  const row = await rowNow();
  const outcome = outcomeOf(state, wasSeen);
  return pruneRecord({
    subject: `cluster ${cluster.name ?? textOf(row, 'name') ?? cluster.id}`,
    id: cluster.id,
    outcome,
    state,
    from_version: from === row?.['version'] ? undefined : from,
    version: row?.['version'],
    next_version: status['next_k8s_available_version'],
    last_deployment_date: status['last_deployment_date'],
    last_upgrade:
      outcome === 'not_seen'
        ? await ifPossible(context, 'Which upgrade ended before', () =>
            lastUpgrade(context, organization_id, cluster.id),
          )
        : undefined,
    waited_seconds: Math.round((context.now() - startedAt) / 1000),
  });
}

const texts: Readonly<Record<Outcome, string>> = {
  succeeded: 'The upgrade has ended.',
  failed: 'The upgrade or what came before it failed; the cluster keeps the version below.',
  running: 'It has not ended yet.',
  not_seen: 'No upgrade is under way: it ended before, or none was started. The version tells.',
};

/** Whether a view is the result of a wait for a cluster. */
export const isUpgrade = ({ subject }: JsonRecord): boolean => String(subject).startsWith('cluster ');

const lastText = ({ at, by, versions }: JsonRecord): string =>
  `Last upgrade asked for: ${[versions, by && `by ${show(by)}`, at && `at ${show(at)}`].filter(Boolean).join(', ')}.`;

/** The text of such a view. */
export const upgradeText = ({
  subject,
  id,
  outcome,
  state,
  waited_seconds: waited,
  last_upgrade: last,
  ...facts
}: JsonRecord): string =>
  [
    `${String(subject)} (id ${String(id)}): ${String(state)}, ${String(outcome)}. ${isRecord(last) ? `No upgrade is under way. ${lastText(last)}` : (texts[outcome as Outcome] ?? '')} Waited ${String(waited)} s.`,
    ...Object.entries(facts).map(([name, value]) => `${name}: ${show(value)}`),
  ].join('\n');
