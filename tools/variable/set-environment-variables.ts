import * as z from 'zod';
import { isHeldExternally, operations, reference, secret, type AnyOperation, type OwnerKind } from '../../src/contract/index.ts';
import { valuePlaceholder } from '../../src/analysis/index.ts';
import { planOperation, anyOf, anyService, composeTool, isRecord, naming, readUses, textOf, type PlannedOperation, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { oneOf, readAspect, serviceSubject, subjectAt, type Subject } from '../shared/any-service.ts';
import { isOwnerKind, ownedVariableReads, refuseKind, scopeOf, seenBy, variableOperations, type SeenVariables } from '../shared/owned-variables.ts';
import { problemsIn, splitSecrets } from './given-variables.ts';

/** The owner of the variables to set, with what it sees now. */
interface VariableOwner extends SeenVariables {
  readonly kind: OwnerKind;
  readonly id: string;
  readonly environmentId: string;
  readonly variables: readonly JsonRecord[];
}

const pointerIn = (record: JsonRecord | undefined): string | undefined => (isRecord(record?.['environment']) ? textOf(record['environment'], 'id') : undefined);

/** Types whose value is that of something else. Whether a variable of an unknown type can be changed is for the platform to say. */
const derived: readonly string[] = ['ALIAS', 'BUILT_IN'];

const nothingSet = 'Nothing was set.';

const unreadable = (context: ToolContext, kind: string): never =>
  context.refuse(`the variables of this ${kind} can't be read here, so it isn't known which to create and which to change`, naming`Set them one by one: ${'create_environment_variable'}, ${'update_environment_variable'}.`);

const subjectOf = (context: ToolContext): Subject => subjectAt(context, 'application') ?? subjectAt(context, 'container') ?? serviceSubject(context);

async function ownerOf(context: ToolContext): Promise<VariableOwner> {
  const subject = subjectOf(context);
  const { kind, id } = subject;
  if (!isOwnerKind(kind)) return refuseKind(kind, 'set', context);
  const seen = await seenBy(kind, id, context);
  const environmentId = subject.environmentId ?? pointerIn(await readAspect(context, subject, 'configuration'));
  return { ...seen, kind, id, environmentId: environmentId ?? unreadable(context, kind), variables: seen.variables ?? unreadable(context, kind) };
}

const isOwn = ({ kind }: VariableOwner, row: JsonRecord): boolean => row['scope'] === scopeOf(kind);

const isSettable = (row: JsonRecord): boolean => !derived.includes(String(row['variable_type'])) && !isHeldExternally(String(row['variable_type']));

/** Refuses a new key that something else of the owner has. What a platform doesn't show, it refuses itself. */
function refuseTaken({ kind, secrets = [], variables }: VariableOwner, key: string, of: 'variable' | 'secret', context: ToolContext): void {
  const rows = of === 'secret' ? variables : secrets;
  if (!rows.some((row) => row['key'] === key && row['scope'] === scopeOf(kind))) return;
  if (of === 'secret') context.refuse(`${key} is a variable of the ${kind}, and a secret can't have the same key`, `Give the secret another key, or set the variable. ${nothingSet}`);
  context.refuse(`${key} is a secret of the ${kind}, and a variable can't have the same key`, [naming`If its value is to be replaced: ${'delete_environment_variable'}, then set it again.`, nothingSet]);
}

/** The operation that sets a variable; none if it has that value already. */
function planVariable(owner: VariableOwner, key: string, value: string, context: ToolContext): readonly PlannedOperation[] {
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
    const update = planOperation(operations.update_environment_variable, { environment_id: environmentId, environment_variable_id: String(present['id']), key, value });
    return [kind === 'environment' ? update : { ...update, heldBy: { kind, id } }];
  }
  refuseTaken(owner, key, 'variable', context);
  const inherited = same.find(({ scope }) => scope !== 'BUILT_IN');
  if (kind === 'container' && inherited) return [planOperation(operations.override_environment_variable, { container_id: id, environment_variable_id: String(inherited['id']), value })];
  return [{ operation: variableOperations.create[kind], input: { [`${kind}_id`]: id, key, value } }];
}

/** The operation that stores a secret. Where secrets aren't listed, only the platform's refusal shows that the key is taken. */
function planSecret(owner: VariableOwner, key: string, value: string, context: ToolContext): PlannedOperation {
  const { kind, id } = owner;
  refuseTaken(owner, key, 'secret', context);
  if (owner.secrets?.some((row) => row['key'] === key && isOwn(owner, row))) {
    context.refuse(`the ${kind} has a secret ${key} already, and a stored secret can't be changed`, [naming`Replace it by ${'delete_environment_variable'}, then set it again; or leave it out.`, nothingSet]);
  }
  return { operation: variableOperations.createSecret[kind], input: { [`${kind}_id`]: id, key, value } };
}

const creating: readonly AnyOperation[] = Object.values(variableOperations.create);
const storing: readonly AnyOperation[] = Object.values(variableOperations.createSecret);

// What creates comes first, secrets before variables: their key may be taken by a stored secret, and then little was changed before the failure.
const rank = ({ operation }: PlannedOperation): number => (storing.includes(operation) ? 0 : creating.includes(operation) ? 1 : 2);

const namesOf = (all: readonly AnyOperation[]): readonly string[] => all.map(({ name }) => name);

/** What was done to a variable, by the operation that did it. */
const howDone = (name: string): string =>
  namesOf(storing).includes(name) ? 'stored as a secret' : namesOf(creating).includes(name) ? 'created' : name === operations.override_environment_variable.name ? 'overridden' : 'changed';

const Values = z.record(z.string(), z.string());

export const setEnvironmentVariables = composeTool({
  name: 'set_environment_variables',
  toolset: 'variables',
  description:
    'Set env vars, one or many, from a map or a .env file: of a service (overrides what it inherits) or an environment (changes what is there). ' +
    'In env_text, *_PASSWORD and the like become secrets.',
  // The kinds that there were first have arguments of their own.
  hidden: ['application', 'container'],
  input: {
    service: anyService().optional(),
    application: reference('application').optional(),
    container: reference('container').optional(),
    environment: reference('environment').optional(),
    variables: Values.optional().describe('Key: value.'),
    secrets: z.record(z.string(), secret()).optional().describe('New ones.'),
    env_text: secret().optional().describe('Lines KEY=value.'),
  },
  rules: (args) => [
    ...oneOf('service', 'application', 'container', 'environment')(args),
    ...(args.variables ?? args.secrets ?? args.env_text ? [] : ['"variables", "secrets" or "env_text" must be given']),
    ...problemsIn(args),
  ],
  operations: [...creating, ...storing, operations.update_environment_variable, operations.override_environment_variable] as unknown as readonly [AnyOperation, ...AnyOperation[]],
  reads: [
    ...anyOf(...ownedVariableReads('variables')),
    ...readUses('that a key is taken by a secret is known only when the platform refuses it', ...Object.values(variableOperations.secrets)),
    ...readUses('a service has to be given by its path', operations.get_application, operations.get_container, operations.get_job),
  ],
  expand: async (args, context) => {
    const owner = await ownerOf(context);
    const { plain, hidden } = splitSecrets(args, new Set(owner.variables.map((row) => String(row['key']))));
    const unfilled = [...plain, ...hidden].filter(([, value]) => value === valuePlaceholder).map(([key]) => key);
    if (unfilled.length > 0) context.refuse(`"${valuePlaceholder}" stands for a value that is still to be filled in: ${unfilled.join(', ')}`, 'Ask the user for it. Nothing was set.');
    return [
      ...plain.flatMap(([key, value]) => planVariable(owner, key, value, context).map((one) => ({ ...one, about: key }))),
      ...hidden.map(([key, value]) => ({ ...planSecret(owner, key, value, context), about: key })),
    ].toSorted((one, other) => rank(one) - rank(other));
  },
  output: z.object({ results: z.array(z.object({ key: z.string(), how: z.string(), scope: z.string(), id: z.string() })) }),
  answer: async (_, context, answers) => ({
    results: answers.map((answer, index) => ({ key: answer['key'], how: howDone(context.done[index] ?? ''), scope: answer['scope'], id: answer['id'] })),
  }),
  render: {
    view: (answer) => answer,
    text: ({ results }) =>
      ((results ?? []) as readonly JsonRecord[]).map(({ key, how: what, scope, id }) => `${typeof key === 'string' ? key : 'One more'}: ${String(what)} (${[scope, `id ${typeof id === 'string' ? id : 'not told'}`].filter(Boolean).join(', ')})`).join('\n'),
    keep: 'first',
  },
  next: 'It takes effect with the next deployment of the services that use it.',
});
