import { isHeldExternally, isServiceKind, operations, reference, type AnyOperation } from '../../src/contract/index.ts';
import {
  defineTool,
  naming,
  omit,
  partialUpdate,
  reading,
  readUses,
  replaceSecret,
  storedSecret,
  textOf,
  toldOnce,
  type JsonRecord,
  type PlannedOperation,
  type Preview,
  type Tool,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { exactlyOne } from '../shared/any-service.ts';
import {
  environmentOf,
  isOwnerKind,
  ownedVariableReads,
  ownerIn,
  ownerInput,
  replacementOf,
  scopeOf,
  seenBy,
  variableLists,
  variableOperations,
  variablesSeenBy,
  type VariableOwner,
} from '../shared/owned-variables.ts';
import { findHolder } from '../shared/variable-holder.ts';
import { reachLines, reachReads, takenWithDeployment, unknownReach } from '../shared/variable-reach.ts';
import type { Reads } from '../shared/variable-views.ts';

/** Why the platform would refuse a change, so that the user isn't asked to confirm it in vain. */
const fixedFor =
  (owner: VariableOwner) =>
  ({ scope, variable_type: type }: JsonRecord, changed: JsonRecord) => {
    if (scope === 'BUILT_IN')
      return { what: "it is of scope BUILT_IN, which can't be changed", next: 'Set a variable with another key.' };
    if (scope === 'PROJECT' && owner.kind !== 'project') {
      return {
        what: 'it is of scope PROJECT, which all environments of the project share',
        next: [
          'Give the project in place of the environment to change it for all.',
          naming`For one service or environment: ${'override_environment_variable'}.`,
        ],
      };
    }
    if (isHeldExternally(String(type)))
      return {
        what: 'its value is held by another system',
        next: ['Change it there.', naming`${'list_environment_variables'} says where, as owned_by.`],
      };
    if (type === 'OVERRIDE' && changed['key'] !== undefined)
      return { what: "it overrides an inherited variable, so its key can't be changed", next: 'Leave key out.' };
    if (type === 'ALIAS' && changed['value'] !== undefined)
      return {
        what: 'it is an alias and has the value of the variable it stands for',
        next: ['Change that one.', naming`${'list_environment_variables'} shows it as aliased_variable.`],
      };
    return undefined;
  };

const owners = ['environment_id', 'service', 'project'] as const;

/**
 * The owner of the variable: from its path, if that shows it; otherwise it is searched for in the place that the call
 * names.
 */
async function holderOf({ key, value }: JsonRecord, context: ToolContext): Promise<VariableOwner> {
  const owner = ownerIn(context, 'set', ...owners);
  const variable = context.resolved['environment_variable_id'];
  const service = variable?.service;
  if (service && isOwnerKind(service.kind) && scopeOf(service.kind) === variable.scope)
    return { kind: service.kind, id: service.id };
  if (!variable || variable.scope !== undefined) return owner;
  const { holder, scope, unread } = await findHolder(owner, variable.id, context);
  // The variable may be in a part that can't be read or isn't shown. If the input is complete, the platform decides.
  if (holder || scope !== undefined || unread.length > 0 || (key !== undefined && value !== undefined))
    return holder ?? owner;
  const { secrets = [] } = await seenBy(owner.kind, owner.id, context);
  if (secrets.some(({ id }) => id === variable.id)) context.refuse(`${variable.id} is ${storedSecret}`, replaceSecret);
  return context.refuse(
    `no variable with the id ${variable.id} is in the ${owner.kind} ${owner.id}${owner.kind === 'environment' ? ' or a service of it' : ''}`,
    naming`Give its key, or an id that ${'list_environment_variables'} shows. Nothing was changed.`,
  );
}

/** The operation that replaces a variable of an owner, and its complete input. */
async function updateOf(args: JsonRecord, context: ToolContext) {
  const owner = await holderOf(args, context);
  const environmentId = await environmentOf(ownerIn(context, 'set', ...owners), context);
  const { operation, ids } = replacementOf(owner, environmentId);
  const holder = isServiceKind(owner.kind) ? { kind: owner.kind, id: owner.id } : undefined;
  const shownBy = holder ?? context.resolved['environment_variable_id']?.service;
  return {
    ways: partialUpdate(operation, { fixed: fixedFor(owner), shownBy: () => shownBy }),
    input: { ...omit(args, owners), ...ids },
    holder,
  };
}

async function expand(args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> {
  const { ways, input, holder } = await updateOf(args, context);
  return (await ways.expand(input, context)).map((planned) => (holder ? { ...planned, heldBy: holder } : planned));
}

const replacing: readonly [AnyOperation, ...AnyOperation[]] = [
  operations.update_environment_variable,
  operations.update_variable_of_project,
  operations.update_variable,
];
const previews = new Map(replacing.map((operation) => [operation, partialUpdate(operation).preview]));

/** A variable's row in a list; undefined if it isn't listed. */
async function rowOf(
  { kind, id }: { readonly kind: string; readonly id?: string },
  variable: unknown,
  reader: Reads,
): Promise<JsonRecord | undefined> {
  const rows = isOwnerKind(kind) && id !== undefined ? await variablesSeenBy({ kind, id }, reader) : undefined;
  return rows?.find((row) => row['id'] === variable);
}

const preview: Preview = reading(
  () => [...[...previews].flatMap(([operation, own]) => own.reads?.([operation]) ?? []), ...reachReads],
  async (input, context) => {
    const { operation, target, shownBy, reader, now } = context;
    const row = await rowOf(shownBy ?? target, input['environment_variable_id'], reader);
    // The list of a service also shows inherited variables, which other services see.
    const isInherited = shownBy && row && row['scope'] !== shownBy.kind.toUpperCase();
    const { kind, id } = isInherited ? target : (shownBy ?? target);
    const keys = [...new Set([textOf(row, 'key'), input['key']])].filter((one) => typeof one === 'string');
    // If a service showed the variable but no longer does, it isn't known whether the service inherits it.
    const reach = shownBy && !row ? [toldOnce(unknownReach)] : await reachLines(kind, id, reader, { keys, now });
    return [...((operation && (await previews.get(operation)?.(input, context))) ?? []), ...reach];
  },
);

const { input, output, render } = partialUpdate(operations.update_environment_variable);

const inEnvironment = defineTool(operations.update_environment_variable, {
  toolset: 'variables',
  title: 'Change or rename a variable',
  description: [
    'Change, edit, correct or rename one environment variable (env var): new value or key.',
    naming`Several, secrets: ${'set_environment_variables'}.`,
  ],
  equivalentOperations: variableOperations('updateSecret'),
  input: {
    ...input,
    environment_id: reference('environment').optional(),
    service: ownerInput.service,
    project: ownerInput.project,
  },
  output,
  render,
  expand,
  preview,
  answer: async (args, context, answers) => {
    const { ways, input: whole } = await updateOf(args, context);
    return ways.answer(whole, context, answers);
  },
  reads: [
    ...ownedVariableReads('variables'),
    ...readUses('that it is a secret is not told', ...variableLists('secrets')),
  ],
  fields: { environment_variable_id: 'Key or id; not of scope BUILT_IN.' },
  plan: () => [takenWithDeployment],
  next: takenWithDeployment,
});

export const updateEnvironmentVariable: Tool = { ...inEnvironment, operations: replacing, ...exactlyOne(...owners) };
