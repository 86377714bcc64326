import * as z from 'zod';
import { isHeldExternally, isServiceKind, type VariableOwnerKind } from '../../src/contract/index.ts';
import {
  composeTool,
  isRecord,
  naming,
  pruneRecord,
  reading,
  show,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { exactlyOne } from '../shared/any-service.ts';
import { applicationsToDeploy, liveCalls, readsOfLive } from '../shared/live-with.ts';
import {
  effective,
  isOwnerKind,
  narrowness,
  ownedVariableReads,
  ownerIn,
  ownerInput,
  ownerMembers,
  planRemoval,
  scopeOf,
  seenBy,
  variableOperations,
  type SeenVariables,
  type VariableOwner,
} from '../shared/owned-variables.ts';
import { effectOf, keepingOf, lostWithDeployment, reachReads, unknownReach } from '../shared/variable-reach.ts';
import { effectLineOf, statusesWithin } from '../shared/variable-effect.ts';
import { onlookerOf, pathOf } from '../shared/variables-by-key.ts';
import { reachedServices, reachOf, rowsOf, viewsOf, type Reads } from '../shared/variable-views.ts';

const nothingDeleted = 'Nothing was deleted.';

const isOwn =
  (kind: VariableOwnerKind, wanted: string) =>
  (row: JsonRecord): boolean =>
    (row['key'] === wanted || row['id'] === wanted.toLowerCase()) && row['scope'] === scopeOf(kind);

const keyOf = ({ variables = [], secrets = [] }: SeenVariables, wanted: string): string =>
  textOf(
    [...variables, ...secrets].find((row) => row['id'] === wanted.toLowerCase()),
    'key',
  ) ?? wanted;

/** Rows of one key, narrowest first, each with its scope, where it is set, and its id. */
function placesText(context: ToolContext, owner: VariableOwner, rows: readonly JsonRecord[]): string {
  const named = ownerMembers.flatMap((member) => context.resolved[member] ?? [])[0]!;
  const onlooker = onlookerOf(named, owner);
  return rows
    .toSorted((one, other) => narrowness(other) - narrowness(one))
    .map(
      (row) => `${show(row['key'])} of scope ${show(row['scope'])}: ${pathOf(row, onlooker)} · id ${show(row['id'])}`,
    )
    .join('\n');
}

/** Refuses a key that isn't the owner's own variable, and says where it is set if it is inherited. */
function refuseMissing(context: ToolContext, owner: VariableOwner, wanted: string, seen: SeenVariables): never {
  const { kind } = owner;
  const key = keyOf(seen, wanted);
  const inherited = [...(seen.variables ?? []), ...(seen.secrets ?? [])].filter((row) => row['key'] === key);
  if (inherited.length > 0) {
    return context.refuse(
      `the ${kind} only inherits ${wanted}`,
      [`Delete it where it is set, if everything there may lose it: give that place. ${nothingDeleted}`],
      placesText(context, owner, inherited),
    );
  }
  const unread =
    seen.secrets === undefined ? ' variable, and its secrets can not be read here,' : ' variable or secret';
  return context.refuse(
    `the ${kind} has no${unread} with the key or id ${wanted}`,
    naming`Look at the keys with ${'list_environment_variables'}. Nothing was deleted.`,
  );
}

/** The request that deletes a variable of an owner, or else a secret, by its key or id. */
async function planDeletion(owner: VariableOwner, wanted: string, context: ToolContext) {
  const { kind, id } = owner;
  const seen = await seenBy(kind, id, context);
  if (!seen.variables)
    context.refuse(
      `the variables of this ${kind} can't be read here, so it isn't known which one is meant`,
      'Ask whoever runs the platform to delete it.',
    );
  const [variables, secrets] = [seen.variables, seen.secrets].map((rows = []) => rows.filter(isOwn(kind, wanted)));
  const own = [...new Map([...secrets!, ...variables!].map((one) => [one['id'], one])).values()];
  if (own.length > 1)
    context.refuse(
      `the ${kind} has ${wanted} more than once`,
      [`Give the id of the one that is meant. ${nothingDeleted}`],
      placesText(context, owner, own),
    );
  const [variable] = variables!;
  const row = own[0] ?? refuseMissing(context, owner, wanted, seen);
  const type = textOf(row, 'variable_type') ?? '';
  if (type === 'BUILT_IN' || isHeldExternally(type))
    context.refuse(
      `${wanted} is ${type}: it can't be deleted here`,
      `Delete it where its value comes from. ${nothingDeleted}`,
    );
  return { ...planRemoval(owner, row, variable === undefined), about: wanted };
}

const valueText = ({ row, isSecret }: { readonly row: JsonRecord; readonly isSecret: boolean }): string =>
  `${isSecret ? 'a secret' : show(row['value'])}, of scope ${show(row['scope'])}`;

const linksTo =
  (id: unknown) =>
  (row: JsonRecord): boolean =>
    [row['overridden_variable'], row['aliased_variable'], row['overridden_secret'], row['aliased_secret']].some(
      (linked) => isRecord(linked) && linked['id'] === id,
    );

/** The effects on the services of an environment or project that loses a variable. */
async function lossLines(
  owner: VariableOwner,
  { key, id, now }: { readonly key: string; readonly id: unknown; readonly now: number | undefined },
  reader: Reads,
): Promise<readonly PlanLine[]> {
  const reached = await reachOf(owner, reader);
  if (!reached || reached.some(({ services }) => services === undefined)) return [unknownReach];
  // Read beside the variables.
  statusesWithin(owner, reader).catch(() => undefined);
  const seen = await viewsOf(reached, reader);
  // Overrides of the variable are deleted with it.
  const { own, lines } = keepingOf(owner, key, seen, (row) => !linksTo(id)(row));
  const linked = seen.views.flatMap((view) =>
    rowsOf(view)
      .filter((row) => linksTo(id)(row) && row['scope'] === scopeOf(view.kind))
      .map((row) => `${show(row['key'])} of ${view.name}`),
  );
  const losing = reachedServices(reached).filter(({ name }) => !own.some((view) => view.name === name));
  return [
    losing.length > 0 ? `Seen by: ${losing.map(({ name }) => name).join(', ')}.` : 'No service sees it.',
    ...lines,
    ...(losing.length > 0 ? await effectOf(owner, losing, { own: [], key, reads: reader, now }) : []),
    ...(linked.length > 0 ? [`Deletes what overrides it or stands for it too: ${linked.join(', ')}.`] : []),
  ];
}

const preview: Preview = reading(
  reachReads,
  async ({ environment_variable_id: variable, secret_id: secret }, { target, reader, now }) => {
    const [kind, id] = [target.kind, variable ?? secret];
    if (!isOwnerKind(kind) || target.id === undefined) return [];
    const seen = await seenBy(kind, target.id, reader);
    const [variableRow, secretRow] = [seen.variables, seen.secrets].map((rows) =>
      rows?.find((one) => one['id'] === id),
    );
    const row = variableRow ?? secretRow;
    if (!row) return ['Not known: which variable this is, and who sees it.'];
    const key = String(row['key']);
    const after = effective(seen, key, String(id));
    const own = [...(seen.variables ?? []), ...(seen.secrets ?? [])].filter(linksTo(id)).map((one) => show(one['key']));
    return [
      `Deletes ${variableRow ? `${show(key)}, now ${valueText({ row, isSecret: false })}` : `the secret ${show(key)} of scope ${show(row['scope'])}; its value is lost`}.`,
      after ? `Then counts: ${valueText(after)}.` : `Then there is no ${show(key)}.`,
      ...(isServiceKind(kind)
        ? [
            `Seen by this ${kind} only.`,
            await effectLineOf({ kind, id: target.id }, reader, now ?? Date.now()),
            ...(own.length > 0 ? [`Deletes what stands for it too: ${own.join(', ')}.`] : []),
          ]
        : await lossLines({ kind, id: target.id }, { key, id, now }, reader)),
    ];
  },
);

export const deleteEnvironmentVariable = composeTool({
  name: 'delete_environment_variable',
  toolset: 'variables',
  title: 'Drop a variable or flag',
  description: 'Delete or remove an environment variable (env var, setting) or secret by key.',
  input: { ...ownerInput, key: z.string().min(1).describe('Or id.') },
  ...exactlyOne(...ownerMembers),
  operations: variableOperations('delete', 'deleteSecret'),
  reads: [...ownedVariableReads('variables'), ...ownedVariableReads('secrets'), ...readsOfLive],
  expand: async ({ key }, context) => [await planDeletion(ownerIn(context, 'deleted', ...ownerMembers), key, context)],
  preview,
  output: z.object({ deleted: z.string(), of: z.string(), counts_now: z.string(), scope: z.string() }),
  answer: async ({ key: wanted }, context) => {
    const owner = ownerIn(context, 'deleted', ...ownerMembers);
    const { kind, id, path } = owner;
    const [seen, toDeploy] = await Promise.all([seenBy(kind, id, context), applicationsToDeploy(owner, context)]);
    const key = context.sent.length > 0 ? wanted : keyOf(seen, wanted);
    const after = effective(seen, key);
    const countsNow = after
      ? after.isSecret
        ? 'a secret'
        : after.row['value']
      : seen.variables && seen.secrets
        ? undefined
        : 'not known';
    return pruneRecord({
      deleted: key,
      of: path ?? `${kind} ${id}`,
      counts_now: countsNow,
      scope: after?.row['scope'],
      takes_it: toDeploy,
    });
  },
  render: {
    view: (answer) => answer,
    text: ({ deleted, of, counts_now: countsNow, scope }) =>
      [
        `${show(deleted)} of ${show(of)} is deleted. ${countsNow === undefined ? 'It has no such variable any more.' : scope === undefined ? 'What counts instead is not known.' : `Now counts: ${show(countsNow)}, of scope ${show(scope)}.`}`,
        lostWithDeployment,
      ].join('\n'),
    keep: 'first',
  },
  next: liveCalls,
});
