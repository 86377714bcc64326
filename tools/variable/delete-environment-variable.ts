import * as z from 'zod';
import { isHeldExternally, operations, reference, type AnyOperation, type OwnerKind } from '../../src/contract/index.ts';
import { anyService, composeTool, isRecord, naming, planOperation, pruneRecord, reading, readUses, rowsIn, show, textOf, type JsonRecord, type Preview, type ToolContext } from '../../src/server/tool/index.ts';
import { oneOf, serviceSubject } from '../shared/any-service.ts';
import { effective, isOwnerKind, ownedVariableReads, refuseKind, scopeOf, seenBy, variableOperations, type SeenVariables } from '../shared/owned-variables.ts';

const nothingDeleted = 'Nothing was deleted.';

const isOwn = (kind: OwnerKind, key: string) => (row: JsonRecord): boolean => row['key'] === key && row['scope'] === scopeOf(kind);

/** Refuses what is no variable of the owner itself, saying where the key comes from if it is inherited. */
function refuseMissing(context: ToolContext, kind: OwnerKind, key: string, seen: SeenVariables): never {
  const inherited = effective(seen, key);
  if (inherited) {
    return context.refuse(`the ${kind} only inherits ${key}`, [`Delete it where it belongs, if everything there may lose it. ${nothingDeleted}`], `${key} is of scope ${show(inherited.row['scope'])}`);
  }
  const unread = seen.secrets === undefined ? ' variable, and its secrets can not be read here,' : ' variable or secret';
  return context.refuse(`the ${kind} has no${unread} named ${key}`, naming`Look at the keys with ${'list_environment_variables'}. Nothing was deleted.`);
}

/** The request that deletes a key of an owner: a variable, else a secret. */
async function planDeletion(kind: OwnerKind, id: string, key: string, context: ToolContext) {
  const seen = await seenBy(kind, id, context);
  if (!seen.variables) context.refuse(`the variables of this ${kind} can't be read here, so it isn't known which one is meant`, 'Ask whoever runs the platform to delete it.');
  const [variable, secret] = [seen.variables?.find(isOwn(kind, key)), seen.secrets?.find(isOwn(kind, key))];
  const row = variable ?? secret ?? refuseMissing(context, kind, key, seen);
  const type = textOf(row, 'variable_type') ?? '';
  if (type === 'BUILT_IN' || isHeldExternally(type)) context.refuse(`${key} is ${type}: it can't be deleted here`, `Delete it where its value comes from. ${nothingDeleted}`);
  const operation: AnyOperation = variableOperations[variable ? 'delete' : 'deleteSecret'][kind];
  return { ...planOperation(operation, { [`${kind}_id`]: id, [variable ? 'environment_variable_id' : 'secret_id']: row['id'] }), about: key };
}

const valueText = ({ row, isSecret }: { readonly row: JsonRecord; readonly isSecret: boolean }): string => `${isSecret ? 'a secret' : show(row['value'])}, of scope ${show(row['scope'])}`;

const linksTo = (id: unknown) => (row: JsonRecord): boolean =>
  [row['overridden_variable'], row['aliased_variable'], row['overridden_secret'], row['aliased_secret']].some((linked) => isRecord(linked) && linked['id'] === id);

interface ServiceView {
  readonly name: string;
  readonly kind: string;
  /** Undefined if its variables can't be read. */
  readonly seen: SeenVariables | undefined;
}

type Reads = Parameters<typeof seenBy>[2];

/** The services of an environment with what they see; undefined if they can't be listed. */
async function servicesIn(environmentId: string, reader: Reads): Promise<readonly ServiceView[] | undefined> {
  const list = await reader.attempt(operations.list_services, { environment_id: environmentId });
  return list && Promise.all(
    rowsIn(list).map(async (row): Promise<ServiceView> => {
      const kind = textOf(row, 'service_type')?.toLowerCase() ?? '';
      const seen = isOwnerKind(kind) ? await seenBy(kind, String(row['id']), reader) : undefined;
      return { name: textOf(row, 'name') ?? String(row['id']), kind, seen: seen?.variables && seen };
    }),
  );
}

/** What happens to the services of an environment that loses a variable. */
function serviceLines(services: readonly ServiceView[] | undefined, key: string, id: unknown): string[] {
  if (!services) return ['Not known: which services see it. The platform does not tell, or the token may not read it.'];
  const readable = services.filter(({ seen }) => seen !== undefined);
  const own = readable.filter(({ kind, seen }) => [...(seen?.variables ?? []), ...(seen?.secrets ?? [])].some((row) => isOwn(kind as OwnerKind, key)(row) && !linksTo(id)(row)));
  const linked = readable.flatMap(({ name, seen }) => [...(seen?.variables ?? []), ...(seen?.secrets ?? [])].filter(linksTo(id)).map((row) => `${show(row['key'])} of ${show(name)}`));
  const losing = services.filter((service) => !own.includes(service) && service.kind !== 'database');
  return [
    losing.length > 0 ? `Seen by: ${losing.map(({ name }) => show(name)).join(', ')}.` : 'No service sees it.',
    ...(own.length > 0 ? [`Keep a value of their own: ${own.map(({ name }) => show(name)).join(', ')}.`] : []),
    ...(linked.length > 0 ? [`Deletes what overrides it or stands for it too: ${linked.join(', ')}.`] : []),
  ];
}

const preview: Preview = reading(
  [...ownedVariableReads('variables'), ...ownedVariableReads('secrets'), ...readUses('the plan does not show which services see the variable', operations.list_services)],
  async ({ environment_variable_id: variable, secret_id: secret }, { target, reader }) => {
    const [kind, id] = [target.kind, variable ?? secret];
    if (!isOwnerKind(kind) || target.id === undefined) return [];
    const seen = await seenBy(kind, target.id, reader);
    const row = [...(seen.variables ?? []), ...(seen.secrets ?? [])].find((one) => one['id'] === id);
    if (!row) return ['Not known: which variable this is, and who sees it.'];
    const key = String(row['key']);
    const after = effective(seen, key, String(id));
    const own = [...(seen.variables ?? []), ...(seen.secrets ?? [])].filter(linksTo(id)).map((one) => show(one['key']));
    return [
      `Deletes ${secret === undefined ? `${show(key)}, now ${valueText({ row, isSecret: false })}` : `the secret ${show(key)} of scope ${show(row['scope'])}; its value is lost`}.`,
      after ? `Then counts: ${valueText(after)}.` : `Then there is no ${show(key)}.`,
      ...(kind === 'environment' ? serviceLines(await servicesIn(target.id, reader), key, id) : [`Seen by this ${kind} only.`, ...(own.length > 0 ? [`Deletes what stands for it too: ${own.join(', ')}.`] : [])]),
    ];
  },
);

const deletions = [...Object.values(variableOperations.delete), ...Object.values(variableOperations.deleteSecret)] as const;

export const deleteEnvironmentVariable = composeTool({
  name: 'delete_environment_variable',
  toolset: 'variables',
  description:
    'Remove or delete an environment variable (env var) or secret that we no longer need, by its key. The plan tells who sees it, and what is ' +
    'inherited then.',
  input: { service: anyService().optional(), environment: reference('environment').optional(), key: z.string().min(1).describe('Exact.') },
  rules: oneOf('service', 'environment'),
  operations: deletions as unknown as readonly [AnyOperation, ...AnyOperation[]],
  reads: [...ownedVariableReads('variables'), ...ownedVariableReads('secrets')],
  expand: async ({ key }, context) => {
    const { kind, id } = serviceSubject(context);
    const owner = isOwnerKind(kind) ? kind : refuseKind(kind, 'deleted', context);
    return [await planDeletion(owner, id, key, context)];
  },
  preview,
  output: z.object({ deleted: z.string(), of: z.string(), counts_now: z.string(), scope: z.string() }),
  answer: async ({ key }, context) => {
    const { kind, id, path } = serviceSubject(context);
    const seen = isOwnerKind(kind) ? await seenBy(kind, id, context) : { variables: undefined, secrets: undefined };
    const after = effective(seen, key);
    const countsNow = after ? (after.isSecret ? 'a secret' : after.row['value']) : seen.variables && seen.secrets ? undefined : 'not known';
    return pruneRecord({ deleted: key, of: path ?? `${kind} ${id}`, counts_now: countsNow, scope: after?.row['scope'] });
  },
  render: {
    view: (answer) => answer,
    text: ({ deleted, of, counts_now: countsNow, scope }) => `${show(deleted)} of ${show(of)} is deleted. ${countsNow === undefined ? 'It has no such variable any more.' : scope === undefined ? 'What counts instead is not known.' : `Now counts: ${show(countsNow)}, of scope ${show(scope)}.`}`,
    keep: 'first',
  },
  next: 'It takes effect with the next deployment.',
});
