import { operations, type VariableOwnerKind } from '../../src/contract/index.ts';
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
  ...readUses(
    'the plan does not show which services keep a value of their own',
    ...variableLists('variables'),
    ...variableLists('secrets'),
  ),
];

export const unknownReach =
  'Not known: which services see it. The platform does not tell, or the token may not read it.';

/** When a change takes effect. A value that is set back to the deployed one needs no deployment. */
export const takenWithDeployment =
  'Services take it with their next deployment. One that names no commit also brings the newest code of an application, which undoes a rollback.';

/** Whether several services see the variables of an owner of this kind. */
export const isShared = (kind: VariableOwnerKind): boolean => kind === 'environment' || kind === 'project';

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

/**
 * The services that see an owner's variable, as lines of a plan.
 * @param keys the variable's keys: services with their own values of them are listed
 */
export async function reachLines(
  kind: string,
  id: string | undefined,
  reads: Reads,
  keys: readonly string[],
): Promise<readonly PlanLine[]> {
  if (!isOwnerKind(kind) || id === undefined) return [toldOnce(unknownReach)];
  if (!isShared(kind)) return [toldOnce(`Seen by this ${kind} only.`)];
  const reached = await reachOf({ kind, id }, reads);
  if (!reached || reached.some(({ services }) => services === undefined)) return [toldOnce(unknownReach)];
  const names = reachedServices(reached).map(({ name }) => name);
  if (names.length === 0) return [toldOnce('No service sees it.')];
  const views = await viewsOf(reached, reads);
  return [
    toldOnce(`Seen by: ${names.join(', ')}.`),
    ...keys.flatMap((key) => keepingOf({ kind, id }, key, views).lines),
  ];
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
    const { target, shownBy, reader } = context;
    const { kind, id } = shownBy ?? target;
    const key = String(input['key']);
    const lines = await Promise.all([
      presentLines(input, context),
      context.operation?.method === 'POST' && isOwnerKind(kind) && id !== undefined
        ? shadowedLines({ kind, id }, [key], reader)
        : [],
      reachLines(kind, id, reader, [key]),
    ]);
    return lines.flat();
  },
);
