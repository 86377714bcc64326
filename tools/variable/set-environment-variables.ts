import * as z from 'zod';
import { isHeldExternally, operations, reference, secret } from '../../src/contract/index.ts';
import { valuePlaceholder } from '../../src/analysis/index.ts';
import { planOperation, anyOf, composeTool, isRecord, isSecretName, naming, parseEnv, readUses, type PlannedOperation, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

interface Variable {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly scope: string;
  readonly variable_type?: string;
  readonly owned_by?: string | null;
}

/** The owner of the variables to set, with the variables that it sees now. */
interface VariableOwner {
  readonly kind: 'application' | 'container' | 'environment';
  readonly id: string;
  readonly environmentId: string;
  readonly variables: readonly Variable[];
}

const own = { application: ['APPLICATION'], container: ['CONTAINER'], environment: ['ENVIRONMENT'] } as const;

/** Types whose value is that of something else. Whether a variable of an unknown type can be changed is for the platform to say. */
const derived: readonly string[] = ['ALIAS', 'BUILT_IN'];

const pointerIn = (record: JsonRecord | undefined): string | undefined => (isRecord(record?.['environment']) ? String(record['environment']['id']) : undefined);

const unreadable = (context: ToolContext, kind: string): never =>
  context.refuse(`the variables of this ${kind} can't be read here, so it isn't known which to create and which to change`, naming`Set them one by one: ${'create_environment_variable'}, ${'update_environment_variable'}.`);

const variablesIn = (list: { results?: unknown } | undefined): readonly Variable[] => (Array.isArray(list?.results) ? (list.results as readonly Variable[]) : []);

async function ownerOf({ application, container, environment }: { application?: string; container?: string; environment?: string }, context: ToolContext): Promise<VariableOwner> {
  if (application !== undefined) {
    const list = await context.read(operations.list_environment_variables, { application_id: application });
    const environmentId = context.resolved['application']?.environment?.id ?? pointerIn(await context.attempt(operations.get_application, { application_id: application }));
    return { kind: 'application', id: application, environmentId: environmentId ?? unreadable(context, 'application'), variables: variablesIn(list) };
  }
  if (container !== undefined) {
    const list = (await context.attempt(operations.list_variables_of_container, { container_id: container })) ?? unreadable(context, 'container');
    const environmentId = context.resolved['container']?.environment?.id ?? pointerIn(await context.attempt(operations.get_container, { container_id: container }));
    return { kind: 'container', id: container, environmentId: environmentId ?? unreadable(context, 'container'), variables: variablesIn(list) };
  }
  const id = environment ?? '';
  const list = (await context.attempt(operations.list_variables_of_environment, { environment_id: id })) ?? unreadable(context, 'environment');
  return { kind: 'environment', id, environmentId: id, variables: variablesIn(list) };
}

const isOwn = ({ kind }: VariableOwner, { scope }: Variable): boolean => (own[kind] as readonly string[]).includes(scope);

const isSettable = ({ variable_type: type = '' }: Variable): boolean => !derived.includes(type) && !isHeldExternally(type);

/** The operation that sets a variable; none if it has that value already. */
function planVariable(owner: VariableOwner, key: string, value: string, context: ToolContext): readonly PlannedOperation[] {
  const { kind, id, environmentId, variables } = owner;
  const same = variables.filter((variable) => variable.key === key);
  const present = same.find((variable) => isOwn(owner, variable));
  // Don't reveal whether a value that the caller may not see is the same.
  const hidden = present ? context.hiddenIn({ ...present }) : [];
  if (present?.value === value && !hidden.includes('value')) return [];
  if (present && !isSettable(present)) {
    context.refuse(
      `${key} of the ${kind} is ${String(present.variable_type)}${present.owned_by && !hidden.includes('owned_by') ? `, owned by ${present.owned_by}` : ''}: its value is not set there`,
      'Change it where its value comes from, or leave the key out. Nothing was set.',
    );
  }
  if (present) {
    const update = planOperation(operations.update_environment_variable, { environment_id: environmentId, environment_variable_id: present.id, key, value });
    return [kind === 'environment' ? update : { ...update, heldBy: { kind, id } }];
  }
  if (kind === 'application') return [planOperation(operations.create_environment_variable, { application_id: id, key, value })];
  const inherited = same.find(({ scope }) => scope !== 'BUILT_IN');
  if (kind === 'container' && inherited) return [planOperation(operations.override_environment_variable, { container_id: id, environment_variable_id: inherited.id, value })];
  return context.refuse(
    `the ${kind} has no variable ${key}, and the platform creates variables on applications only`,
    `Leave the key out. ${kind === 'container' ? 'A container can only get its own value of what its environment or project has, and that' : 'What an environment lacks'} is created outside these tools: ask the user. Nothing was set.`,
  );
}

/** The operation that stores a secret. Stored secrets aren't visible: only the platform's refusal shows that the key is taken. */
function planSecret(owner: VariableOwner, key: string, value: string, context: ToolContext): PlannedOperation {
  if (owner.kind !== 'application') {
    context.refuse(`a secret (${key}) can be stored for applications only`, 'Leave it out here, and give it to the application that needs it. Nothing was set.');
  }
  if (owner.variables.some((variable) => variable.key === key && isOwn(owner, variable))) {
    context.refuse(`${key} is a variable of the application, and a secret can't have the same key`, 'Give the secret another key, or set the variable. Nothing was set.');
  }
  return planOperation(operations.create_secret, { application_id: owner.id, key, value });
}

const risky: readonly string[] = [operations.create_environment_variable.name, operations.create_secret.name];

/** Operations that create come first, secrets before variables: their key may be taken by a stored secret, and then little was changed before the failure. */
const byRisk = (planned: readonly PlannedOperation[]): PlannedOperation[] => planned.toSorted((one, other) => risky.indexOf(other.operation.name) - risky.indexOf(one.operation.name));

const Values = z.record(z.string(), z.string());

interface GivenValues {
  readonly variables?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly env_text?: string;
}

/** Splits the given values into variables and secrets. In .env text the names decide and, for names of keys, the values. */
function splitSecrets({ variables = {}, secrets = {}, env_text = '' }: GivenValues, owner: VariableOwner): { plain: [string, string][]; hidden: [string, string][] } {
  const fromText = Object.entries(parseEnv(env_text)).map(([key, value]): [string, string] => [key, value ?? '']);
  const isSecret = ([key, value]: [string, string]): boolean => isSecretName(key, value) && !owner.variables.some((variable) => variable.key === key);
  return {
    plain: [...Object.entries(variables), ...fromText.filter((entry) => !isSecret(entry))],
    hidden: [...Object.entries(secrets), ...fromText.filter(isSecret)],
  };
}

// What parseEnv reads: comments, and keys with a value, which may span lines if it is quoted.
const readable = /^[ \t]*(?:#.*|(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*)$/gm;

/** Numbers of the lines in .env text that parseEnv would silently ignore although they aren't empty. */
const ignoredLines = (text: string): number[] =>
  text.replaceAll(readable, (match) => match.replaceAll(/[^\n]/g, '')).split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));

/** Most variables in one call: each is a request, and a person may have to read them all. */
const maximumVariables = 200;

const maximumReportedLines = 10;

/** What is wrong with the given values. Doesn't mention values: they may be secret. */
function problemsIn({ variables = {}, secrets = {}, env_text = '' }: GivenValues): string[] {
  const keys = [variables, secrets, parseEnv(env_text)].flatMap((one) => Object.keys(one));
  if (keys.length > maximumVariables) return [`${keys.length} variables are too many for one call: give at most ${maximumVariables}`];
  const duplicates = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  const ignored = ignoredLines(env_text);
  return [
    ...(duplicates.size > 0 ? [`give each key in one of "variables", "secrets" and "env_text" only: ${[...duplicates].join(', ')}`] : []),
    ...(ignored.length > 0 ? [`"env_text": not of the form KEY=value: line ${ignored.slice(0, maximumReportedLines).join(', ')}${ignored.length > maximumReportedLines ? ` and ${ignored.length - maximumReportedLines} more` : ''}`] : []),
  ];
}

const how: Readonly<Record<string, string>> = {
  create_environment_variable: 'created', update_environment_variable: 'changed', update_variable_of_application: 'changed', update_variable_of_container: 'changed',
  override_environment_variable: 'overridden', create_secret: 'stored as a secret',
};

const ownerArguments: readonly string[] = ['application', 'container', 'environment'];

export const setEnvironmentVariables = composeTool({
  name: 'set_environment_variables',
  toolset: 'variables',
  description:
    'Set env vars, one or many, from a map or a .env file: of an application, a container (overrides what it inherits) or an environment ' +
    '(changes what is there). In env_text, *_PASSWORD and the like become secrets.',
  input: {
    application: reference('application').optional(),
    container: reference('container').optional(),
    environment: reference('environment').optional(),
    variables: Values.optional().describe('Key: value.'),
    secrets: z.record(z.string(), secret()).optional().describe('New ones, of an application.'),
    env_text: secret().optional().describe('Lines KEY=value.'),
  },
  rules: (args) => {
    const owners = ownerArguments.filter((name) => (args as JsonRecord)[name] !== undefined);
    return [
      ...(owners.length === 1 ? [] : ['exactly one of "application", "container" and "environment" must be given']),
      ...(args.variables ?? args.secrets ?? args.env_text ? [] : ['"variables", "secrets" or "env_text" must be given']),
      ...problemsIn(args),
    ];
  },
  operations: [operations.create_environment_variable, operations.update_environment_variable, operations.override_environment_variable, operations.create_secret],
  reads: [
    ...anyOf(
      ...readUses('those of applications can not be set', operations.list_environment_variables),
      ...readUses('those of containers can not be set', operations.list_variables_of_container),
      ...readUses('those of environments can not be set', operations.list_variables_of_environment),
    ),
    ...readUses('an application or container has to be given by its path', operations.get_application, operations.get_container),
  ],
  expand: async (args, context) => {
    const owner = await ownerOf(args, context);
    const { plain, hidden } = splitSecrets(args, owner);
    const unfilled = [...plain, ...hidden].filter(([, value]) => value === valuePlaceholder).map(([key]) => key);
    if (unfilled.length > 0) context.refuse(`"${valuePlaceholder}" stands for a value that is still to be filled in: ${unfilled.join(', ')}`, 'Ask the user for it. Nothing was set.');
    return byRisk([
      ...plain.flatMap(([key, value]) => planVariable(owner, key, value, context).map((one) => ({ ...one, about: key }))),
      ...hidden.map(([key, value]) => ({ ...planSecret(owner, key, value, context), about: key })),
    ]);
  },
  plan: ({ application }) => (application === undefined ? [] : ['Secrets stored earlier are not shown: a key that one of them has is refused, and what stands after it is not set.']),
  output: z.object({ results: z.array(z.object({ key: z.string(), how: z.string(), scope: z.string(), id: z.string() })) }),
  answer: async (_, context, answers) => ({
    results: answers.map((answer, index) => ({ key: answer['key'], how: how[context.done[index] ?? ''], scope: answer['scope'], id: answer['id'] })),
  }),
  render: {
    view: (answer) => answer,
    text: ({ results }) =>
      ((results ?? []) as readonly JsonRecord[]).map(({ key, how: what, scope, id }) => `${typeof key === 'string' ? key : 'One more'}: ${String(what)} (${[scope, `id ${typeof id === 'string' ? id : 'not told'}`].filter(Boolean).join(', ')})`).join('\n'),
    keep: 'first',
  },
  next: 'It takes effect with the next deployment of the services that use it.',
});
