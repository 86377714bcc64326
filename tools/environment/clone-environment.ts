import * as z from 'zod';
import { EnvironmentMode, operations } from '../../src/contract/index.ts';
import {
  defineTool,
  naming,
  omit,
  pruneRecord,
  reading,
  readUses,
  readVariableList,
  rowsIn,
  show,
  stateKeptBy,
  textOf,
  wholeListIn,
  type JsonRecord,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { canHaveDomains, domainOperations, listDomains } from '../shared/custom-domains.ts';
import { fewAtOnce } from '../shared/few-at-once.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { landedAsAsked, readsOfCluster } from '../shared/landed-as-asked.ts';
import { unlessFailing } from '../shared/places.ts';

const kindOf = (service: JsonRecord): string => textOf(service, 'service_type')?.toLowerCase() ?? 'service';
const called = (service: JsonRecord): string =>
  `${textOf(service, 'name') ?? String(service['id'])} (${kindOf(service)})`;

/** The data of services, which is never copied. */
const dataOf = (services: readonly JsonRecord[]): string[] =>
  services
    .filter((service) => kindOf(service) === 'database')
    .map((service) => `data of ${textOf(service, 'name') ?? String(service['id'])}`);

/** What a copied Terraform service has in common with its original: its state, where the repository names a backend. */
async function stateLine(service: JsonRecord, reader: Pick<ToolContext, 'attempt'>): Promise<string> {
  const own: JsonRecord | undefined =
    service['backend'] === undefined
      ? await reader.attempt(operations.get_terraform, { terraform_id: String(service['id']) })
      : service;
  const keptBy = stateKeptBy(own);
  const name = show(textOf(service, 'name') ?? service['id']);
  const together =
    'applying the copy changes what the original made, and deleting the copy can destroy it, in the cloud account too';
  if (keptBy === 'repository')
    return `The copy of ${name} has the state of the original, in the backend that its repository names: ${together}.`;
  if (own === undefined)
    return `Not known: where the state of ${name} is kept. If its repository names a backend, the copy shares the state of the original: ${together}. Otherwise the copy begins with an empty state.`;
  return `The copy of ${name} begins with ${keptBy === 'platform' ? 'an empty state of its own' : 'an empty state'}: applying it makes everything once more, and deleting it destroys only what it made. But if its repository names a backend, it shares the state of the original: ${together}.`;
}

/** A line for each Terraform service among those that are copied. */
const stateLines = (services: readonly JsonRecord[], reader: Pick<ToolContext, 'attempt'>): Promise<string[]> =>
  Promise.all(
    services.filter((service) => kindOf(service) === 'terraform').map((service) => stateLine(service, reader)),
  );

const keysOf = (variables: readonly JsonRecord[]): string[] =>
  variables.filter(({ scope }) => scope === 'ENVIRONMENT').flatMap((row) => textOf(row, 'key') ?? []);

/** The keys of the variables and secrets of an environment itself; undefined if they can't be read. */
async function ownKeys(id: string, reader: Pick<ToolContext, 'attempt'>) {
  const environment = { kind: 'environment', id } as const;
  const [variables, secrets] = await Promise.all(
    (['variables', 'secrets'] as const).map(async (listing) =>
      wholeListIn(await readVariableList(listing, environment, reader)),
    ),
  );
  return { variables: variables && keysOf(variables), secrets: secrets && keysOf(secrets) };
}

const readsOfKeys = (without: string) =>
  readUses(without, operations.list_variables_of_environment, operations.list_secrets_of_environment);

const counted = (count: unknown, what: string): string =>
  typeof count === 'number' ? `${count} ${what}${count === 1 ? '' : 's'}` : `${what}s that can not be looked up`;

/** Shows the user, before confirmation, what is copied and what isn't. */
const copies: Preview = reading(
  [
    ...readUses('the plan does not show which services are copied', operations.list_services),
    ...readUses('the plan does not show where the state of Terraform is kept', operations.get_terraform),
    ...readsOfKeys('the plan does not tell how many variables and secrets of the environment are copied'),
  ],
  async ({ environment_id: from }, { reader }) => {
    const [list, { variables, secrets }] = await Promise.all([
      reader.attempt(operations.list_services, { environment_id: String(from) }),
      ownKeys(String(from), reader),
    ]);
    if (!list)
      return ['Not known: which services are copied. The platform does not tell, or the token may not read it.'];
    const services = rowsIn(list);
    return [
      ...services.map(
        (service) =>
          `Copies ${show(called(service))}${kindOf(service) === 'database' ? ', empty: its data stay where they are' : ''}.`,
      ),
      ...(await stateLines(services, reader)),
      'Copies the variables and secrets of the environment and its services too, with their values. It sees those of the project that it is in. Nothing of it runs until it is deployed.',
      `Of the environment itself: ${counted(variables?.length, 'variable')} and ${counted(secrets?.length, 'secret')}.`,
    ];
  },
);

interface Contents {
  readonly services?: readonly JsonRecord[];
  readonly variables?: readonly string[];
  readonly secrets?: readonly string[];
}

/** Reads the contents of an environment; parts that can't be read are undefined. */
async function contentsOf(attempt: ToolContext['attempt'], id: string): Promise<Contents> {
  const [services, keys] = await Promise.all([
    attempt(operations.list_services, { environment_id: id }),
    ownKeys(id, { attempt }),
  ]);
  return { services: services && rowsIn(services), ...keys };
}

/** Most services of which it is read whether they have custom domains: each takes a request. */
const mostWithDomains = 10;

const domainsStay = 'a domain leads to one service only';

/** The custom domains of the services of the original, which stay there, as parts of a list. */
async function domainsOf(context: ToolContext, services: readonly JsonRecord[]): Promise<readonly string[]> {
  const able = services.flatMap((service) => {
    const [kind, id] = [kindOf(service), textOf(service, 'id')];
    return canHaveDomains(kind) && id !== undefined ? [{ kind, id, name: textOf(service, 'name') ?? id }] : [];
  });
  const read = await fewAtOnce(able.slice(0, mostWithDomains), ({ kind, id }) =>
    unlessFailing(listDomains(context, kind, id)),
  );
  const namesOf = (isMeant: (domains: readonly JsonRecord[] | undefined) => boolean): string =>
    able.flatMap(({ name }, index) => (isMeant(read[index]) ? [name] : [])).join(', ');
  const [having, unread] = [
    namesOf((domains) => domains !== undefined && domains.length > 0),
    namesOf((domains) => domains === undefined),
  ];
  return [
    ...(having === '' ? [] : [`custom domains of ${having} (${domainsStay})`]),
    ...(unread === '' ? [] : [`custom domains of ${unread}, if there are any: that was not read (${domainsStay})`]),
  ];
}

const sameName = (one: JsonRecord, other: JsonRecord): boolean =>
  textOf(one, 'name')?.toLowerCase() === textOf(other, 'name')?.toLowerCase();

/** The keys that the original has and the copy doesn't, as far as both are known. */
const lackingKeys = (one: Contents, other: Contents, listing: 'variables' | 'secrets'): readonly string[] =>
  one[listing] && other[listing] ? one[listing].filter((key) => !other[listing]!.includes(key)) : [];

/** Compares the copy with its original, as far as both can be read. Copying changes nothing of the original. */
async function comparison(context: ToolContext, from: string, to: string): Promise<JsonRecord> {
  const [one, other] = await Promise.all([contentsOf(context.before, from), contentsOf(context.attempt, to)]);
  if (!other.services) return { note: 'Not known: what it holds. The platform does not tell.' };
  const missing = one.services?.filter((service) => !other.services?.some((copy) => sameName(service, copy))) ?? [];
  const [states, domains] = await Promise.all([
    stateLines(one.services ?? other.services, { attempt: context.before }),
    one.services && ifPossible(context, 'Which services have custom domains', () => domainsOf(context, one.services!)),
  ]);
  return {
    made: other.services.map(called),
    variables: other.variables?.length,
    secrets: other.secrets?.length,
    not_made: [
      ...dataOf(other.services),
      ...missing.map(called),
      ...lackingKeys(one, other, 'variables').map((key) => `variable ${key}`),
      ...lackingKeys(one, other, 'secrets').map((key) => `secret ${key}`),
      ...(domains ?? [`custom domains (${domainsStay})`]),
    ],
    ...(states.length > 0 && { terraform_state: states }),
  };
}

/**
 * Mode and cluster of the original, as they are before it is copied. They are sent even if the caller omits them, so
 * that the confirmation shows the place of the copy.
 */
async function originalsPlace({ environment_id: from }: JsonRecord, context: ToolContext): Promise<JsonRecord> {
  const original = await context.before(operations.get_environment, { environment_id: String(from) });
  return pruneRecord({
    mode: EnvironmentMode.safeParse(textOf(original, 'mode')).data,
    cluster_id: textOf(original, 'cluster_id'),
  });
}

export const cloneEnvironment = defineTool(operations.clone_environment, {
  toolset: 'environments',
  title: 'Make an identical copy of an environment',
  description:
    'Clone, copy or duplicate an environment with all its services, variables and secrets, such as production for ' +
    'a test; without data of databases, not deployed.',
  hidden: ['apply_deployment_rule'],
  fields: { environment_id: 'Copied.', mode: 'Default: as copied.' },
  reads: [
    ...readsOfCluster,
    ...readUses('mode and cluster have to be given', operations.get_environment),
    ...readUses('the answer does not say what was copied', operations.list_services),
    ...readsOfKeys('the answer does not say how many variables and secrets of the environment were copied'),
    ...readUses('the answer does not say where the state of Terraform is kept', operations.get_terraform),
    ...readUses('the answer does not say which services have domains', ...Object.values(domainOperations.list)),
  ],
  expand: async (args, context) => [
    { operation: operations.clone_environment, input: { ...(await originalsPlace(args, context)), ...args } },
  ],
  preview: copies,
  output: z.object({
    name: z.string(),
    id: z.string(),
    mode: z.string(),
    cluster_name: z.string(),
    made: z.array(z.string()),
    not_made: z.array(z.string()),
  }),
  answer: async (args, context, [created = {}]) => {
    const id = textOf(created, 'id');
    const [environment, copied] = await Promise.all([
      originalsPlace(args, context).then((place) => landedAsAsked({ ...place, ...args }, context, created)),
      id === undefined ? {} : comparison(context, String(args['environment_id']), id),
    ]);
    return { ...environment, ...copied };
  },
  render: {
    view: (answer) => pruneRecord(omit(answer, ['created_at', 'updated_at', 'organization', 'last_updated_by'])),
    text: ({
      name,
      id,
      mode,
      cluster_name: cluster,
      made,
      variables,
      secrets,
      not_made: lacking,
      terraform_state: states,
      note,
      ...others
    }) =>
      [
        `${show(name)} is there (${[id === undefined ? 'its id is not told' : `id ${show(id)}`, ...(mode === undefined ? [] : [show(mode)]), ...(cluster === undefined ? [] : [`on cluster ${show(cluster)}`])].join(', ')}). Nothing of it runs yet.`,
        ...(Array.isArray(made)
          ? [
              `made: ${made.join(', ') || 'no service'}; of the environment itself ${counted(variables, 'variable')} and ${counted(secrets, 'secret')}`,
            ]
          : []),
        ...(Array.isArray(lacking) ? [`not_made: ${lacking.join('; ')}`] : []),
        ...(Array.isArray(states) ? states.map(show) : []),
        ...(note === undefined ? [] : [show(note)]),
        ...Object.entries(others).map(([member, value]) => `${member}: ${show(value)}`),
      ].join('\n'),
    keep: 'first',
  },
  next: naming`Check with ${'compare_environments'}, then bring it up with ${'deploy_service'}.`,
});
