import * as z from 'zod';
import { operations } from '../../src/contract/operations.ts';
import { reference, secret } from '../../src/contract/primitives.ts';
import { valuePlaceholder } from '../../src/analysis/diagnosis/next-calls.ts';
import { planOperation, composeTool, isRecord, isSecretName, naming, parseEnv, type PlannedOperation, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

interface Variable {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly scope: string;
  readonly variable_type: string;
  readonly owned_by?: string | null;
}

/** Whose variables are set, and what it sees of them now. */
interface Holder {
  readonly kind: 'application' | 'container' | 'environment';
  readonly id: string;
  readonly environmentId: string;
  readonly variables: readonly Variable[];
}

const own = { application: ['APPLICATION'], container: ['CONTAINER'], environment: ['ENVIRONMENT'] } as const;

const settable: readonly string[] = ['VALUE', 'FILE', 'OVERRIDE'];

const pointerIn = (record: JsonRecord | undefined): string | undefined => (isRecord(record?.['environment']) ? String(record['environment']['id']) : undefined);

const unreadable = (context: ToolContext, kind: string): never =>
  context.refuse(`the variables of this ${kind} can't be read here, so it isn't known which to create and which to change`, naming`Set them one by one: ${'create_environment_variable'}, ${'update_environment_variable'}.`);

const variablesIn = (list: { results?: unknown } | undefined): readonly Variable[] => (Array.isArray(list?.results) ? (list.results as readonly Variable[]) : []);

async function holderOf({ application, container, environment }: { application?: string; container?: string; environment?: string }, context: ToolContext): Promise<Holder> {
  if (application !== undefined) {
    const list = await context.read(operations.list_environment_variables, { application_id: application });
    const environmentId = context.addresses['application']?.environment?.id ?? pointerIn(await context.attempt(operations.get_application, { application_id: application }));
    return { kind: 'application', id: application, environmentId: environmentId ?? unreadable(context, 'application'), variables: variablesIn(list) };
  }
  if (container !== undefined) {
    const list = (await context.attempt(operations.list_variables_of_container, { container_id: container })) ?? unreadable(context, 'container');
    const environmentId = context.addresses['container']?.environment?.id ?? pointerIn(await context.attempt(operations.get_container, { container_id: container }));
    return { kind: 'container', id: container, environmentId: environmentId ?? unreadable(context, 'container'), variables: variablesIn(list) };
  }
  const id = environment ?? '';
  const list = (await context.attempt(operations.list_variables_of_environment, { environment_id: id })) ?? unreadable(context, 'environment');
  return { kind: 'environment', id, environmentId: id, variables: variablesIn(list) };
}

const isOwn = ({ kind }: Holder, { scope }: Variable): boolean => (own[kind] as readonly string[]).includes(scope);

const isSettable = ({ variable_type, owned_by }: Variable): boolean => settable.includes(variable_type) && (owned_by ?? undefined) === undefined;

/** The request that gives one variable its value; none where it has it already. */
function setting(holder: Holder, key: string, value: string, context: ToolContext): readonly PlannedOperation[] {
  const { kind, id, environmentId, variables } = holder;
  const same = variables.filter((variable) => variable.key === key);
  const present = same.find((variable) => isOwn(holder, variable));
  // Of what the caller may not see it is not told whether it is the same already.
  const hidden = present ? context.hiddenIn({ ...present }) : [];
  if (present?.value === value && !hidden.includes('value')) return [];
  if (present && !isSettable(present)) {
    context.refuse(
      `${key} of the ${kind} is ${present.variable_type}${present.owned_by && !hidden.includes('owned_by') ? `, owned by ${present.owned_by}` : ''}: its value is not set there`,
      'Change it where its value comes from, or leave the key out. Nothing was set.',
    );
  }
  if (present) return [planOperation(operations.update_environment_variable, { environment_id: environmentId, environment_variable_id: present.id, key, value })];
  if (kind === 'application') return [planOperation(operations.create_environment_variable, { application_id: id, key, value })];
  const inherited = same.find(({ scope }) => scope !== 'BUILT_IN');
  if (kind === 'container' && inherited) return [planOperation(operations.override_environment_variable, { container_id: id, environment_variable_id: inherited.id, value })];
  return context.refuse(
    `the ${kind} has no variable ${key}, and the platform creates variables on applications only`,
    `Leave the key out. ${kind === 'container' ? 'A container can only get its own value of what its environment or project has, and that' : 'What an environment lacks'} is created outside these tools: ask the user. Nothing was set.`,
  );
}

/** The request that stores a secret. A stored one can't be told from a key that is free: that shows only when the platform refuses it. */
function storing(holder: Holder, key: string, value: string, context: ToolContext): PlannedOperation {
  if (holder.kind !== 'application') {
    context.refuse(`a secret (${key}) can be stored for applications only`, 'Leave it out here, and give it to the application that needs it. Nothing was set.');
  }
  if (holder.variables.some((variable) => variable.key === key && isOwn(holder, variable))) {
    context.refuse(`${key} is a variable of the application, and a secret can't have the same key`, 'Give the secret another key, or set the variable. Nothing was set.');
  }
  return planOperation(operations.create_secret, { application_id: holder.id, key, value });
}

const risky: readonly string[] = [operations.create_environment_variable.name, operations.create_secret.name];

/** What creates comes first, secrets foremost: it may meet a stored secret, and then least was changed before. */
const byRisk = (acts: readonly PlannedOperation[]): PlannedOperation[] => acts.toSorted((one, other) => risky.indexOf(other.operation.name) - risky.indexOf(one.operation.name));

const Values = z.record(z.string(), z.string());

interface Given {
  readonly variables?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly env_text?: string;
}

/** What of all that was given is to be a variable, and what a secret: in .env text the names tell, and of keys the values. */
function sorted({ variables = {}, secrets = {}, env_text = '' }: Given, holder: Holder): { plain: [string, string][]; hidden: [string, string][] } {
  const fromText = Object.entries(parseEnv(env_text)).map(([key, value]): [string, string] => [key, value ?? '']);
  const isSecret = ([key, value]: [string, string]): boolean => isSecretName(key, value) && !holder.variables.some((variable) => variable.key === key);
  return {
    plain: [...Object.entries(variables), ...fromText.filter((entry) => !isSecret(entry))],
    hidden: [...Object.entries(secrets), ...fromText.filter(isSecret)],
  };
}

// What parseEnv takes in: comments, and keys with a value that goes over lines where it is quoted.
const read = /^[ \t]*(?:#.*|(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*)$/gm;

/** Numbers of the lines of .env text that hold something and would be passed over in silence. */
const unreadLines = (text: string): number[] =>
  text.replaceAll(read, (taken) => taken.replaceAll(/[^\n]/g, '')).split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));

/** Most variables of one call: each is a request, and somebody may have to read them all. */
const mostAtOnce = 200;

const mostLinesTold = 10;

/** What is wrong with what was given, as it is given. Says nothing of values: they may be secret. */
function wrongIn({ variables = {}, secrets = {}, env_text = '' }: Given): string[] {
  const keys = [variables, secrets, parseEnv(env_text)].flatMap((one) => Object.keys(one));
  if (keys.length > mostAtOnce) return [`${keys.length} variables are too many for one call: give at most ${mostAtOnce}`];
  const twice = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  const unread = unreadLines(env_text);
  return [
    ...(twice.size > 0 ? [`give each key in one of "variables", "secrets" and "env_text" only: ${[...twice].join(', ')}`] : []),
    ...(unread.length > 0 ? [`"env_text": not of the form KEY=value: line ${unread.slice(0, mostLinesTold).join(', ')}${unread.length > mostLinesTold ? ` and ${unread.length - mostLinesTold} more` : ''}`] : []),
  ];
}

const how: Readonly<Record<string, string>> = { create_environment_variable: 'created', update_environment_variable: 'changed', override_environment_variable: 'overridden', create_secret: 'stored as a secret' };

const given: readonly string[] = ['application', 'container', 'environment'];

export const setEnvironmentVariables = composeTool({
  name: 'set_environment_variables',
  toolset: 'variables',
  description:
    'Set many env vars at once, from a map or the text of a .env file, with one confirmation. Of an application, of a container (overrides what it inherits) or of an ' +
    'environment (changes what is there). In .env text, names such as *_PASSWORD become secrets.',
  input: {
    application: reference('application').optional(),
    container: reference('container').optional(),
    environment: reference('environment').optional(),
    variables: Values.optional().describe('Key: value.'),
    secrets: z.record(z.string(), secret()).optional().describe('New ones, for applications: never readable or settable again.'),
    env_text: secret().optional().describe('Lines KEY=value.'),
  },
  rules: (args) => {
    const owners = given.filter((name) => (args as JsonRecord)[name] !== undefined);
    return [
      ...(owners.length === 1 ? [] : ['exactly one of "application", "container" and "environment" must be given']),
      ...(args.variables ?? args.secrets ?? args.env_text ? [] : ['"variables", "secrets" or "env_text" must be given']),
      ...wrongIn(args),
    ];
  },
  operations: [operations.create_environment_variable, operations.update_environment_variable, operations.override_environment_variable, operations.create_secret],
  expand: async (args, context) => {
    const holder = await holderOf(args, context);
    const { plain, hidden } = sorted(args, holder);
    const open = [...plain, ...hidden].filter(([, value]) => value === valuePlaceholder).map(([key]) => key);
    if (open.length > 0) context.refuse(`"${valuePlaceholder}" stands for a value that is still to be filled in: ${open.join(', ')}`, 'Ask the user for it. Nothing was set.');
    return byRisk([
      ...plain.flatMap(([key, value]) => setting(holder, key, value, context).map((one) => ({ ...one, about: key }))),
      ...hidden.map(([key, value]) => ({ ...storing(holder, key, value, context), about: key })),
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
      ((results ?? []) as readonly JsonRecord[]).map(({ key, how: what, scope, id }) => `${String(key)}: ${String(what)} (${String(scope)}, id ${String(id)})`).join('\n'),
    keep: 'first',
  },
  next: 'It takes effect with the next deployment of the services that use it.',
});
