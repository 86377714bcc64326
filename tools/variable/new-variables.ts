import { operations, scopeOfOwner } from '../../src/contract/index.ts';
import {
  defineTool,
  isRecord,
  naming,
  omit,
  pick,
  record,
  show,
  type Renderer,
  type Tool,
  override,
  type JsonRecord,
  type PlannedOperation,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { exactlyOne } from '../shared/any-service.ts';
import { liveCalls, readsOfLive, tellingLive, withLive } from '../shared/live-with.ts';
import {
  matchesValueOf,
  ownerIn,
  ownerInput,
  ownerMembers,
  planCreation,
  variableOperations,
  ownedVariableReads,
  seenBy,
  variablesSeenBy,
} from '../shared/owned-variables.ts';
import { readsOfShadowed, tellingShadowed, withShadowed } from '../shared/shadowed-values.ts';
import { variableChange } from '../shared/variable-reach.ts';

/** How a tool tells of a new variable or secret: whom it reaches, and whose value no longer counts. */
const tellsShadowed = (first: readonly string[]) => ({
  preview: variableChange,
  reads: [...readsOfShadowed, ...readsOfLive],
  answer: async (
    args: JsonRecord,
    context: ToolContext,
    [created = {}]: readonly JsonRecord[],
  ): Promise<JsonRecord> => {
    const owner = ownerIn(context, 'set', ...ownerMembers);
    const told = await withShadowed(created, owner, [String(args['key'])], context);
    return withLive(told, owner, context);
  },
  render: tellingLive(tellingShadowed(record({ first }))),
  next: liveCalls,
});

const ofApplication = defineTool(operations.create_environment_variable, {
  toolset: 'variables',
  title: 'Add one variable',
  description: [
    'Add or define one environment variable (env var, setting, config value, flag, toggle).',
    naming`Secrets: ${'create_secret'}.`,
  ],
  input: { ...ownerInput, application_id: undefined },
  expand: async (args, context) => [
    planCreation(ownerIn(context, 'set', ...ownerMembers), omit(args, ownerMembers), false),
  ],
  ...tellsShadowed(['key', 'value', 'id', 'scope', 'variable_type']),
});

export const createEnvironmentVariable: Tool = {
  ...ofApplication,
  operations: variableOperations('create'),
  ...exactlyOne(...ownerMembers),
  matchesAction: matchesValueOf('variables'),
};

const secretOfApplication = defineTool(operations.create_secret, {
  toolset: 'variables',
  title: 'Add a secret: password, token or key',
  description:
    'Store or save a secret (password, access token, API key, credentials) safely: nobody reads values ' +
    'afterwards.',
  // Both set the value of a secret without showing it.
  equivalentOperations: variableOperations('updateSecret'),
  input: { ...ownerInput, application_id: undefined },
  expand: async (args, context) => [
    planCreation(ownerIn(context, 'set', ...ownerMembers), omit(args, ownerMembers), true),
  ],
  ...tellsShadowed(['key', 'id', 'scope', 'variable_type']),
});

export const createSecret: Tool = {
  ...secretOfApplication,
  operations: variableOperations('createSecret'),
  ...exactlyOne(...ownerMembers),
  matchesAction: matchesValueOf('secrets'),
};

const owners = ['service', 'environment'] as const;

/**
 * The request at the container's path, or at that of all variables. The latter checks that the owner sees the variable,
 * which may be in no other place.
 */
async function planOverride(args: JsonRecord, context: ToolContext): Promise<PlannedOperation> {
  const { kind, id } = ownerIn(context, 'set', ...owners);
  const given = omit(args, owners);
  if (kind === 'container')
    return { operation: operations.override_environment_variable, input: { ...given, container_id: id } };
  const { variables, secrets } = await seenBy(kind, id, context);
  const wanted = String(args['environment_variable_id']);
  const isMeant = (row: JsonRecord): boolean => row['id'] === wanted;
  if (secrets?.some(isMeant))
    context.refuse(
      `${wanted} is a secret, and only variables are overridden`,
      `Store a secret with the same key at the ${kind}. Nothing was changed.`,
    );
  if (!variables)
    context.refuse(
      `the variables of this ${kind} can't be read here, so it isn't known whether it sees ${wanted}`,
      'Set a variable with the same key there.',
    );
  if (!variables?.some(isMeant))
    context.refuse(
      `the ${kind} sees no variable with the id ${wanted}`,
      'Give the key or id of one that it inherits. Nothing was changed.',
    );
  return {
    operation: operations.override_variable,
    input: { ...given, override_scope: scopeOfOwner(kind), override_parent_id: id },
  };
}

/**
 * The answer with the variable that is overridden, from the list of what is seen where the platform's answer hasn't its
 * value.
 */
async function withOverridden(args: JsonRecord, created: JsonRecord, context: ToolContext): Promise<JsonRecord> {
  const { overridden_variable: present } = created;
  if (isRecord(present) && typeof present['value'] === 'string') return created;
  const { kind, id } = ownerIn(context, 'set', ...owners);
  const seen = await variablesSeenBy({ kind, id }, { attempt: context.before });
  const row = seen?.find((one) => one['id'] === args['environment_variable_id']);
  return row ? { ...created, overridden_variable: row } : created;
}

/** The value that is overridden and the one in its place, as the plan has them; none where either isn't shown. */
function changeLine({ key, value, overridden_variable: before }: JsonRecord): string | undefined {
  if (!isRecord(before) || typeof before['value'] !== 'string' || typeof value !== 'string') return undefined;
  return `${show(key)}: ${show(before['value'])} (of scope ${show(before['scope'])}) → ${show(value)}`;
}

const plainOverride = record({ first: ['key', 'value', 'id', 'scope', 'variable_type'] });

/** What is told of the variable that is overridden. */
const ofOverridden = ['key', 'value', 'scope'];

const overrideText: Renderer = {
  ...plainOverride,
  view: (answer) => {
    const { overridden_variable: before, ...view } = plainOverride.view(answer);
    return isRecord(before) ? { ...view, overridden_variable: pick(before, ofOverridden) } : view;
  },
  text: (view) => {
    const line = changeLine(view);
    return line === undefined
      ? plainOverride.text(view)
      : [line, plainOverride.text(omit(view, ['key', 'value', 'overridden_variable']))].join('\n');
  },
};

const ofContainer = defineTool(operations.override_environment_variable, {
  toolset: 'variables',
  title: 'Override a variable: different value for one service',
  description:
    'Give an inherited variable another value for one service (app, container) or environment only; elsewhere ' +
    'unchanged.',
  input: { service: ownerInput.service, environment: ownerInput.environment, container_id: undefined },
  reads: [...ownedVariableReads('variables'), ...ownedVariableReads('secrets'), ...readsOfLive],
  expand: async (args, context) => [await planOverride(args, context)],
  preview: override,
  answer: async (args, context, [created = {}]) =>
    withLive(await withOverridden(args, created, context), ownerIn(context, 'set', ...owners), context),
  render: tellingLive(overrideText),
  next: liveCalls,
});

export const overrideEnvironmentVariable: Tool = {
  ...ofContainer,
  operations: [operations.override_environment_variable, operations.override_variable],
  ...exactlyOne(...owners),
};
