import * as z from 'zod';
import {
  freeText,
  isHeldExternally,
  isServiceKind,
  operations,
  secret,
  type AnyOperation,
} from '../../src/contract/index.ts';
import { valuePlaceholder } from '../../src/analysis/index.ts';
import {
  planOperation,
  anyOf,
  composeTool,
  naming,
  pick,
  readUses,
  recordsIn,
  show,
  textOf,
  type PlannedOperation,
  type JsonRecord,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { oneOf } from '../shared/any-service.ts';
import { liveCalls, readsOfLive, tellingLive, withLive } from '../shared/live-with.ts';
import {
  environmentOf,
  ownedVariableReads,
  ownerIn,
  ownerInput,
  ownerMembers,
  planCreation,
  planSecretReplacement,
  replacementOf,
  scopeOf,
  seenBy,
  variableLists,
  variableOperations,
  type SeenVariables,
  type VariableOwner,
} from '../shared/owned-variables.ts';
import { readsOfShadowed, tellingShadowed, withShadowed } from '../shared/shadowed-values.ts';
import { variableChange } from '../shared/variable-reach.ts';
import { problemsIn, splitSecrets } from './given-variables.ts';

/** The owner of the variables to set, with its currently visible variables and secrets. */
interface Setting extends VariableOwner, SeenVariables {
  /** Undefined for a project. */
  readonly environmentId?: string;
  readonly variables: readonly JsonRecord[];
}

/**
 * Types whose value comes from elsewhere. The platform decides whether a variable of an unknown type can be changed.
 */
const derived: readonly string[] = ['ALIAS', 'BUILT_IN'];

const nothingSet = 'Nothing was set.';

const unreadable = (context: ToolContext, kind: string): never =>
  context.refuse(
    `the variables of this ${kind} can't be read here, so it isn't known which to create and which to change`,
    naming`Set them one by one: ${'create_environment_variable'}, ${'update_environment_variable'}.`,
  );

async function settingOf(context: ToolContext): Promise<Setting> {
  const { kind, id, environmentId } = ownerIn(context, 'set', ...ownerMembers);
  const seen = await seenBy(kind, id, context);
  // Only variables that are changed at the path of their environment need its id.
  const around =
    replacementOf({ kind, id }, '').ids['environment_id'] === undefined
      ? undefined
      : ((await environmentOf({ kind, id, environmentId }, context)) ?? unreadable(context, kind));
  return { ...seen, kind, id, environmentId: around, variables: seen.variables ?? unreadable(context, kind) };
}

const isOwn = ({ kind }: Setting, row: JsonRecord): boolean => row['scope'] === scopeOf(kind);

/** The owner's own secrets, if they are listed. */
const storedIn = (owner: Setting): readonly JsonRecord[] => (owner.secrets ?? []).filter((row) => isOwn(owner, row));

const isSettable = (row: JsonRecord): boolean =>
  !derived.includes(String(row['variable_type'])) && !isHeldExternally(String(row['variable_type']));

/**
 * Refuses a new key that another variable or secret of the owner has. The platform itself refuses keys that it doesn't
 * show.
 */
function refuseTaken(
  { kind, secrets = [], variables }: Setting,
  key: string,
  of: 'variable' | 'secret',
  context: ToolContext,
): void {
  const rows = of === 'secret' ? variables : secrets;
  if (!rows.some((row) => row['key'] === key && row['scope'] === scopeOf(kind))) return;
  if (of === 'secret')
    context.refuse(
      `${key} is a variable of the ${kind}, and a secret can't have the same key`,
      `Give the secret another key, or set the variable. ${nothingSet}`,
    );
  context.refuse(
    `${key} is a secret of the ${kind}, and a variable can't have the same key`,
    `If its value is to be replaced, give it in "secrets". ${nothingSet}`,
  );
}

/** The members that a variable keeps when its value changes. */
const keptMembers = ['mount_path', 'description', 'enable_interpolation_in_file'];

/** The operation that sets a variable; none if it has that value already. */
function planVariable(owner: Setting, key: string, value: string, context: ToolContext): readonly PlannedOperation[] {
  const { kind, id, environmentId, variables } = owner;
  const same = variables.filter((row) => row['key'] === key);
  const present = same.find((row) => isOwn(owner, row));
  // Don't reveal whether a value that the caller may not see is the same.
  const hidden = present ? context.hiddenIn({ ...present }) : [];
  if (present?.['value'] === value && !hidden.includes('value')) return [];
  if (present && !isSettable(present)) {
    const holder = textOf(present, 'owned_by');
    context.refuse(
      `${key} of the ${kind} is ${String(present['variable_type'])}${holder !== undefined && !hidden.includes('owned_by') ? `, owned by ${holder}` : ''}: its value is not set there`,
      `Change it where its value comes from, or leave the key out. ${nothingSet}`,
    );
  }
  if (present) {
    const { operation, ids } = replacementOf(owner, environmentId);
    const kept = pick(
      present,
      keptMembers.filter(
        (name) =>
          Object.hasOwn(operation.body?.shape ?? {}, name) && present[name] !== null && present[name] !== undefined,
      ),
    );
    const update = {
      operation,
      replaces: present,
      input: { ...ids, environment_variable_id: String(present['id']), key, value, ...kept },
      unchanged: Object.keys(kept),
      present,
      given: { key, value },
    };
    return [isServiceKind(kind) ? { ...update, heldBy: { kind, id } } : update];
  }
  refuseTaken(owner, key, 'variable', context);
  const inherited = same.find(({ scope }) => scope !== 'BUILT_IN');
  if (kind === 'container' && inherited)
    return [
      planOperation(operations.override_environment_variable, {
        container_id: id,
        environment_variable_id: String(inherited['id']),
        value,
      }),
    ];
  return [planCreation(owner, { key, value }, false)];
}

/**
 * The operation that stores a secret or changes its value. If secrets aren't listed, only the platform's refusal shows
 * that the key is taken.
 */
function planSecret(owner: Setting, key: string, value: string, context: ToolContext): PlannedOperation {
  refuseTaken(owner, key, 'secret', context);
  const present = storedIn(owner).find((row) => row['key'] === key);
  if (!present) return planCreation(owner, { key, value }, true);
  if (!isSettable(present))
    context.refuse(
      `${key} of the ${owner.kind} is ${String(present['variable_type'])}: its value is not set there`,
      `Change it where its value comes from, or leave the key out. ${nothingSet}`,
    );
  const planned = planSecretReplacement(owner, present, value);
  if (context.lacks(planned.operation)) {
    context.refuse(`${key} of the ${owner.kind} is a secret, and this platform can't change a stored one`, [
      naming`Replace it: ${'delete_environment_variable'}, then set it again. Meanwhile there is none.`,
      nothingSet,
    ]);
  }
  return planned;
}

const creating = variableOperations('create');
const storing = variableOperations('createSecret');
const replacing = variableOperations('updateSecret');

const isAmong = (all: readonly AnyOperation[], name: string): boolean => all.some((one) => one.name === name);

/** Whether a request stores a secret. One operation creates both, and its input says which. */
const isStored = (name: string, { is_secret: isSecret }: JsonRecord): boolean =>
  isAmong(storing, name) && isSecret !== false;

// Creations come first, secrets before variables: their key may be taken by a stored secret, and then little has been
// changed before the failure.
const rank = ({ operation, input }: PlannedOperation): number =>
  isStored(operation.name, input) ? 0 : isAmong(creating, operation.name) ? 1 : 2;

/** The action on a variable, by its operation and the response. */
const howDone = (name: string, sent: JsonRecord, { is_secret: isSecret }: JsonRecord): string =>
  isAmong(replacing, name) && (isSecret === true || name !== operations.update_variable.name)
    ? 'replaced as a secret'
    : isStored(name, sent)
      ? 'stored as a secret'
      : isAmong(creating, name)
        ? 'created'
        : name === operations.override_environment_variable.name
          ? 'overridden'
          : 'changed';

const isChange = (how: string): boolean => how === 'changed' || how === 'replaced as a secret';

/** What became of one variable, with its values where it was changed. */
function rowText({ key, how: what, from, to, scope, id }: JsonRecord): string {
  const hasValues = typeof from === 'string' && typeof to === 'string';
  const done = hasValues ? `${show(from)} → ${show(to)}` : String(what);
  const details = [scope, `id ${typeof id === 'string' ? id : 'not told'}`].filter(Boolean).join(', ');
  return `${typeof key === 'string' ? key : 'One more'}: ${done} (${details})`;
}

const keysOf = (rows: readonly JsonRecord[]): ReadonlySet<string> => new Set(rows.map((row) => String(row['key'])));

const rows: Renderer = {
  view: (answer) => answer,
  text: ({ results }) => recordsIn(results).map(rowText).join('\n'),
  keep: 'first',
};
const live = tellingLive(tellingShadowed(rows));

const Values = z.record(z.string(), freeText());

export const setEnvironmentVariables = composeTool({
  name: 'set_environment_variables',
  toolset: 'variables',
  title: 'Set several environment variables together, .env file',
  description:
    'Set, put or add one or many env vars (variable, settings like LOG_LEVEL) for all services of an environment, a ' +
    'project or one service, also from a .env file (env_text; *_PASSWORD etc. become secrets).',
  input: {
    ...ownerInput,
    variables: Values.optional().describe('Key: value.'),
    secrets: z.record(z.string(), freeText(secret())).optional().describe('New, or replaced.'),
    env_text: freeText(secret()).optional().describe('Lines KEY=value.'),
  },
  needsOneOf: ownerMembers,
  rules: (args) => [
    ...oneOf(...ownerMembers)(args),
    ...((args.variables ?? args.secrets ?? args.env_text)
      ? []
      : ['"variables", "secrets" or "env_text" must be given']),
    ...problemsIn(args),
  ],
  operations: [
    ...variableOperations('create', 'createSecret', 'updateSecret'),
    operations.update_environment_variable,
    operations.update_variable_of_project,
    operations.override_environment_variable,
  ] as unknown as readonly [AnyOperation, ...AnyOperation[]],
  reads: [
    ...readsOfShadowed,
    ...readsOfLive,
    ...anyOf(...ownedVariableReads('variables')),
    ...readUses(
      'that a key is taken by a secret is known only when the platform refuses it',
      ...variableLists('secrets'),
    ),
    ...readUses(
      'a service has to be given by its path',
      operations.get_application,
      operations.get_container,
      operations.get_job,
    ),
  ],
  expand: async (args, context) => {
    const owner = await settingOf(context);
    const { plain, hidden } = splitSecrets(args, keysOf(owner.variables), keysOf(storedIn(owner)));
    const unfilled = [...plain, ...hidden].filter(([, value]) => value === valuePlaceholder).map(([key]) => key);
    if (unfilled.length > 0)
      context.refuse(
        `"${valuePlaceholder}" stands for a value that is still to be filled in: ${unfilled.join(', ')}`,
        'Ask the user for it. Nothing was set.',
      );
    return [
      ...plain.flatMap(([key, value]) =>
        planVariable(owner, key, value, context).map((one) => ({ ...one, about: key })),
      ),
      ...hidden.map(([key, value]) => ({ ...planSecret(owner, key, value, context), about: key })),
    ].toSorted((one, other) => rank(one) - rank(other));
  },
  preview: variableChange,
  output: z.object({
    results: z.array(z.object({ key: z.string(), how: z.string(), scope: z.string(), id: z.string() })),
  }),
  answer: async (_, context, answers) => {
    const changed = context.replacements();
    const results = answers.map((answer, index) => {
      const values = changed.find(({ before }) => before['id'] === answer['id']);
      return {
        key: answer['key'],
        how: howDone(context.done[index] ?? '', context.sent[index] ?? {}, answer),
        ...(values && { from: values.before['value'], to: values.after['value'] }),
        scope: answer['scope'],
        id: answer['id'],
      };
    });
    const created = results.flatMap(({ key, how }) => (typeof key === 'string' && !isChange(how) ? [key] : []));
    const owner = ownerIn(context, 'set', ...ownerMembers);
    // Who sees a value that is replaced was said in the question.
    return created.length === 0
      ? { results }
      : withLive(await withShadowed({ results }, owner, created, context), owner, context);
  },
  render: { ...rows, text: (view) => (recordsIn(view['results']).length === 0 ? rows : live).text(view) },
  next: liveCalls,
});
