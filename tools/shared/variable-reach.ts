import { isServiceKind, operations } from '../../src/contract/index.ts';
import {
  reading,
  readUses,
  replacement,
  show,
  toldOnce,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ReadUse,
} from '../../src/server/tool/index.ts';
import { isOwnerKind, replacesSecret, variableLists, type VariableOwner } from './owned-variables.ts';
import { readsOfShadowed, shadowedLines } from './shadowed-values.ts';
import { effectLineOf, effectLines, readsOfEffect, statusesWithin, type SeeingService } from './variable-effect.ts';
import {
  isNarrower,
  reachOf,
  rowsOf,
  reachedServices,
  viewsOf,
  type Reads,
  type View,
  type Views,
} from './variable-views.ts';

/** The reads for which services see a variable. */
export const reachReads: readonly ReadUse[] = [
  ...readUses(
    'the plan does not show which services see the variable',
    operations.list_services,
    operations.list_environments,
  ),
  ...readsOfEffect,
  ...readUses(
    'the plan does not show which services keep a value of their own',
    ...variableLists('variables'),
    ...variableLists('secrets'),
  ),
];

export const unknownReach =
  'Not known: which services see it. The platform does not tell, or the token may not read it.';

const newestCode =
  'A deployment that names no commit also brings the newest code of an application, which undoes a rollback.';

/** When a change takes effect. A value that is set back to the deployed one needs no deployment. */
export const takenWithDeployment = `Services take it with their next deployment, jobs on many platforms with their next run. ${newestCode}`;

/** When a deletion takes effect. */
export const lostWithDeployment = `Services that run with it lose it with their next deployment. Jobs do with their next run, on many platforms. ${newestCode}`;

/**
 * The services with their own value of a key, and lines of text about them and about those for which that isn't known;
 * no lines if there are none.
 * @param counts whether a row with the key is such a value
 */
export function keepingOf(
  owner: VariableOwner,
  key: string,
  { views, others }: Views,
  counts: (row: JsonRecord) => boolean = () => true,
): { readonly own: readonly View[]; readonly lines: readonly string[] } {
  const narrower = isNarrower(owner.kind, key);
  const own = views.filter((view) => rowsOf(view).some((row) => narrower(row) && counts(row)));
  const unread = views.filter(
    (view) => !own.includes(view) && (view.seen?.variables === undefined || view.seen.secrets === undefined),
  );
  const notKnown = [...unread.map(({ name }) => name), ...others];
  const lines = [
    ...(own.length > 0
      ? [`Keep a value of their own for ${show(key)}: ${own.map(({ name }) => name).join(', ')}.`]
      : []),
    ...(notKnown.length > 0
      ? [`Not known, whether these keep a value of their own for ${show(key)}: ${notKnown.join(', ')}.`]
      : []),
  ];
  return { own, lines };
}

/** Whether a service, by its name, lies in an environment that was viewed. */
const isWithin = (name: string, view: View): boolean => view.kind === 'environment' && name.startsWith(`${view.name}/`);

/**
 * When a change of an owner's variable takes effect for those that see it and have no value of their own.
 * @param own those with a value of their own: the variable is named then, since it isn't the same for all of a call
 */
export const effectOf = async (
  owner: VariableOwner,
  services: readonly SeeingService[],
  {
    own,
    key,
    reads,
    now,
  }: { readonly own: readonly View[]; readonly key: string; readonly reads: Reads; readonly now: number | undefined },
): Promise<readonly PlanLine[]> =>
  effectLines(
    services.filter(({ name }) => !own.some((view) => view.name === name || isWithin(name, view))),
    await statusesWithin(owner, reads),
    { ...(own.length > 0 && { key: show(key) }), now: now ?? Date.now() },
  );

/**
 * The services that see an owner's variable, as lines of a plan, and when they take a change of it.
 * @param keys the variable's keys: services with their own values of them are listed
 * @param now milliseconds since 1970; default: the time of the machine
 */
export async function reachLines(
  kind: string,
  id: string | undefined,
  reads: Reads,
  { keys, now }: { readonly keys: readonly string[]; readonly now: number | undefined },
): Promise<readonly PlanLine[]> {
  if (!isOwnerKind(kind) || id === undefined) return [toldOnce(unknownReach)];
  if (isServiceKind(kind))
    return [toldOnce(`Seen by this ${kind} only.`), await effectLineOf({ kind, id }, reads, now ?? Date.now())];
  const reached = await reachOf({ kind, id }, reads);
  if (!reached || reached.some(({ services }) => services === undefined)) return [toldOnce(unknownReach)];
  const services = reachedServices(reached);
  if (services.length === 0) return [toldOnce('No service sees it.')];
  // Read beside the variables.
  statusesWithin({ kind, id }, reads).catch(() => undefined);
  const views = await viewsOf(reached, reads);
  const lines = await Promise.all(
    keys.map(async (key) => {
      const kept = keepingOf({ kind, id }, key, views);
      return [...kept.lines, ...(await effectOf({ kind, id }, services, { own: kept.own, key, reads, now }))];
    }),
  );
  return [toldOnce(`Seen by: ${services.map(({ name }) => name).join(', ')}.`), ...lines.flat()];
}

/** The difference that a change makes to a variable. A secret's value isn't shown, so there is nothing to compare. */
async function presentLines(input: JsonRecord, context: Parameters<Preview>[1]): Promise<readonly PlanLine[]> {
  const { operation } = context;
  if (operation?.method !== 'PUT') return [];
  return replacesSecret(operation)
    ? [`Replaces the value of the secret ${show(input['key'])}: the present one is lost.`]
    : replacement(operation, undefined, ({ key }) => ({ value: show(key) }))(input, context);
}

/** Previews a variable's creation, override or replacement, and lists the services that see it. */
export const variableChange: Preview = reading(
  (planned) => [
    ...planned.flatMap((operation) =>
      operation.method === 'PUT' && !replacesSecret(operation)
        ? (replacement(operation).reads?.([operation]) ?? [])
        : [],
    ),
    ...readsOfShadowed,
    ...reachReads,
  ],
  async (input, context) => {
    const { target, shownBy, reader, now } = context;
    const { kind, id } = shownBy ?? target;
    const key = String(input['key']);
    const lines = await Promise.all([
      presentLines(input, context),
      context.operation?.method === 'POST' && isOwnerKind(kind) && id !== undefined
        ? shadowedLines({ kind, id }, [key], reader)
        : [],
      reachLines(kind, id, reader, { keys: [key], now }),
    ]);
    return lines.flat();
  },
);
