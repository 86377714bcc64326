import { isAtRest, isServiceKind, operations, serviceKinds, type ServiceKind } from '../../../contract/index.ts';
import { type JsonRecord, isRecord } from '../../json/index.ts';
import {
  listOfOrganization,
  readById,
  readOperationOf,
  readBothVariableLists,
  servicesIn,
  statusRowsIn,
  textIn,
  wholeListIn,
  type Reader,
  type Target,
} from '../../context/index.ts';
import { reading, readUses, type ReadsFor } from '../reads.ts';
import { notAgreedTo, notKnown, showName, textOf, type PlanLine, type Preview } from './preview.ts';
import { stateRisk } from './terraform-state.ts';
import {
  bothListsOf,
  isNeverDeployed,
  namesText,
  nothingLostText,
  readsOfWhatGoes,
  rulesWatching,
  whatGoesWith,
  type DoomedService,
  ownVariables,
  variablesOfService,
} from './what-goes.ts';

/** A service that may need the one that would be deleted. */
type Neighbour = Pick<DoomedService, 'kind' | 'id' | 'name'>;

/** Maximum number of neighbours whose variables are read: each costs a request. */
const mostNeighbours = 20;

// Characters that can't be part of a host separate hosts.
const hostsIn = (value: string): readonly string[] => value.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);

/** Whether a value names a service's host: the host itself, or one whose first label is the service's name. */
function namesHost(value: string, { name, host }: { readonly name: string; readonly host?: string }): boolean {
  const own = [name, host].flatMap((one) => (one === undefined ? [] : [one.toLowerCase()]));
  return hostsIn(value).some((found) => own.includes(found) || own.includes(found.split('.', 1)[0]!));
}

/** The variable for which another is an alias or override. */
const linkedId = (variable: JsonRecord): unknown =>
  [variable['aliased_variable'], variable['overridden_variable']].find(isRecord)?.['id'];

/** Variables that the platform creates for a service are visible to all its neighbours, whether they use it or not. */
const isBuiltIn = (variable: JsonRecord): boolean => variable['scope'] === 'BUILT_IN';

const namesIt =
  ({ name, record }: DoomedService) =>
  (variable: JsonRecord): boolean =>
    namesHost(textOf(variable, 'value') ?? '', { name, host: textOf(record, 'host') });

/** The keys of variables that name a service's host, or are aliases of one of its variables. */
const keysThatNeed = (
  variables: readonly JsonRecord[],
  service: DoomedService,
  own: readonly unknown[],
): readonly string[] => [
  ...new Set(
    variables
      .filter((variable) => !isBuiltIn(variable))
      .filter((variable) => own.includes(linkedId(variable)) || namesIt(service)(variable))
      .flatMap((variable) => textOf(variable, 'key') ?? []),
  ),
];

interface Needing {
  readonly neighbour: Neighbour;
  /** Undefined if its variables can't be read. */
  readonly keys?: readonly string[];
  /** Whether it sees a built-in variable that names the service. */
  readonly seesBuiltIn?: boolean;
}

/** Kinds that are configured by variables. */
const configured: readonly ServiceKind[] = ['application', 'container', 'job', 'helm', 'terraform'];

const needingText = ({ neighbour, keys = [] }: Needing): string =>
  `${neighbour.kind} ${showName(neighbour.name)} (${namesText(keys)})`;

/**
 * The dependents of a service, one line each: neighbours whose variables name its host or are aliases of its variables;
 * and those whose variables could not be read.
 * @param neighbours the other services of its environment.
 */
async function dependentLines(
  service: DoomedService,
  neighbours: readonly Neighbour[],
  reader: Reader,
): Promise<readonly string[]> {
  const others = neighbours.filter(({ kind }) => configured.includes(kind));
  const searched = others.slice(0, mostNeighbours);
  const [{ variables: seen }, variablesOfEach] = await Promise.all([
    bothListsOf(service, reader),
    Promise.all(searched.map((neighbour) => variablesOfService(neighbour, reader))),
  ]);
  const own = ownVariables(seen ?? [], service).map(({ id }) => id);
  const found = searched.map((neighbour, index): Needing => {
    const variables = variablesOfEach[index];
    return {
      neighbour,
      keys: variables && keysThatNeed(variables, service, own),
      seesBuiltIn: variables?.some((one) => isBuiltIn(one) && namesIt(service)(one)),
    };
  });
  const needing = found.filter(({ keys = [] }) => keys.length > 0);
  const unread = [
    ...found.filter(({ keys }) => keys === undefined).map(({ neighbour }) => neighbour.name),
    ...others.slice(mostNeighbours).map(({ name }) => name),
  ];
  return [
    ...needing.map((one) => `Names it: ${needingText(one)}.`),
    ...(needing.length === 0 && searched.length > 0 && unread.length < others.length
      ? ['No variable of the other services that could be looked at names it.']
      : []),
    ...(found.some(({ seesBuiltIn }) => seesBuiltIn)
      ? ['Its neighbours see its built-in variables too; whether they use them is not known.']
      : []),
    ...(unread.length > 0
      ? [
          `Not known: whether ${namesText(unread)} ${unread.length === 1 ? 'needs' : 'need'} it. Their variables are not read.`,
        ]
      : []),
  ];
}

const deletionReads: ReadsFor = (planned) => [
  ...readsOfWhatGoes(serviceKinds),
  ...readUses(
    'the plan does not show what goes with a service',
    ...planned.flatMap(({ target }) => (isServiceKind(target) ? (readOperationOf(target) ?? []) : [])),
  ),
  ...readUses(
    'the plan does not show which services there are, and which need one that goes',
    operations.list_services,
  ),
  ...readUses('the plan does not show whether a deployment is under way', operations.get_environment_status),
  ...readUses(
    'the plan does not show all variables and secrets of the environment itself',
    operations.list_variables_of_environment,
    operations.list_secrets_of_environment,
  ),
  ...readUses('the plan does not show whether the project is empty then', operations.list_environments),
  ...readUses(
    'the plan does not show the alert rules that go',
    operations.get_organization,
    operations.list_alert_rules,
  ),
];

/** The statuses of the services of an environment, by id. */
type Statuses = ReadonlyMap<unknown, JsonRecord>;

async function statusesIn(environmentId: string, reader: Reader): Promise<Statuses> {
  const statuses = await reader.attempt(operations.get_environment_status, { environment_id: environmentId });
  return new Map(statusRowsIn(statuses).map((row) => [row['id'], row]));
}

/** What the status of a service tells of it. */
const standingIn = (status: JsonRecord | undefined): Pick<DoomedService, 'state' | 'isNeverDeployed'> => ({
  state: textIn(status, 'state'),
  isNeverDeployed: isNeverDeployed(status),
});

const serviceIn = (record: JsonRecord, statuses: Statuses): DoomedService | undefined => {
  const kind = textOf(record, 'service_type')?.toLowerCase() ?? '';
  const id = textOf(record, 'id');
  return id === undefined || !isServiceKind(kind)
    ? undefined
    : { kind, id, name: textOf(record, 'name') ?? id, record, ...standingIn(statuses.get(id)) };
};

/** A confirmation covers the service's id and what is deleted with it, or that it has no data, but not its state. */
async function serviceLines(service: DoomedService, reader: Reader): Promise<readonly PlanLine[]> {
  const { kind, id, name, state } = service;
  const parts = await whatGoesWith(service, reader);
  const rest = [parts.length === 0 ? '' : `, with ${parts.join('; ')}`, nothingLostText(service)].join('');
  const line = {
    text: `Deletes ${kind} ${showName(name)}, now ${state ?? 'in a state that is not known'}${rest}.`,
    agreed: `Deletes ${kind} ${id}${rest}`,
    after: `Deletes ${kind} ${showName(name)}${rest}.`,
  };
  return [line, ...(kind === 'terraform' ? [stateRisk(service)] : [])];
}

const underWayLines = (services: readonly DoomedService[]): readonly PlanLine[] => {
  const busy = services.filter(({ state }) => state !== undefined && !isAtRest(state));
  return busy.length === 0
    ? []
    : [
        notAgreedTo(
          `Under way: a deployment of ${namesText(busy.map(({ name }) => name))}. The platform refuses the deletion until it has ended.`,
        ),
      ];
};

/** The alert rules of the organization; undefined if they can't all be read. */
const allRules = async (reader: Reader): Promise<readonly JsonRecord[] | undefined> =>
  wholeListIn(await listOfOrganization(operations.list_alert_rules, reader));

function ruleLines(rules: readonly JsonRecord[] | undefined, ids: readonly string[]): readonly PlanLine[] {
  if (!rules) return [notKnown('which alert rules watch what is deleted')];
  const names = rulesWatching(rules, ids);
  return names.length === 0 ? [] : [`Alert rules that watch it: ${namesText(names)}.`];
}

async function serviceDeletion({ kind, id, name, environment }: Target, reader: Reader): Promise<readonly PlanLine[]> {
  if (id === undefined || !isServiceKind(kind)) return [notKnown('what is deleted')];
  const [record, statuses, rows, rules] = await Promise.all([
    readById(kind, id, reader),
    environment?.id === undefined ? new Map<unknown, JsonRecord>() : statusesIn(environment.id, reader),
    servicesIn(environment?.id, reader),
    allRules(reader),
  ]);
  const service: DoomedService = { kind, id, name: name ?? id, record, ...standingIn(statuses.get(id)) };
  const neighbours = rows?.flatMap((row) => serviceIn(row, statuses) ?? []).filter((one) => one.id !== id);
  const isLast = rows?.every((row) => row['id'] === id) === true;
  const [own, dependents] = await Promise.all([
    serviceLines(service, reader),
    neighbours
      ? dependentLines(service, neighbours, reader)
      : [notKnown('what else is in its environment, and so what needs it')],
  ]);
  return [
    ...own,
    ...dependents,
    ...ruleLines(rules, [id]),
    ...(isLast ? [notAgreedTo(staysEmpty('environment', environment?.name, 'service'))] : []),
    ...underWayLines([service]),
  ];
}

/** What stays when the last thing in it is deleted. */
const staysEmpty = (kind: 'environment' | 'project', name: string | undefined, of: string): string =>
  `The ${kind}${name === undefined ? '' : ` ${showName(name)}`} stays, without any ${of}, with the variables of its own: deleting it is another call${kind === 'project' ? ', of the toolset administration' : ''}.`;

/** Whether the project of an environment is empty without it, which nobody has to agree to. */
async function projectLines({ id, project }: Target, reader: Reader): Promise<readonly PlanLine[]> {
  const rows =
    project?.id === undefined
      ? undefined
      : wholeListIn(await reader.attempt(operations.list_environments, { project_id: project.id }));
  if (!rows) return [notAgreedTo(notKnown('whether its project, which stays, is empty then'))];
  return rows.every((row) => row['id'] === id)
    ? [notAgreedTo(staysEmpty('project', project?.name, 'environment'))]
    : [];
}

const ofEnvironment = (variable: JsonRecord): boolean => variable['scope'] === 'ENVIRONMENT';

/** The variables and secrets of an environment itself, by key. */
async function environmentLines(id: string, reader: Reader): Promise<readonly PlanLine[]> {
  const lists = await readBothVariableLists({ kind: 'environment', id }, reader);
  return (['variables', 'secrets'] as const).flatMap((listing) => {
    const all = wholeListIn(lists[listing]);
    if (!all) return [notKnown(`which ${listing} the environment itself has`)];
    const keys = all.filter(ofEnvironment).flatMap((row) => textOf(row, 'key') ?? []);
    return keys.length === 0
      ? []
      : [`${listing === 'secrets' ? 'Secrets' : 'Variables'} of the environment itself: ${namesText(keys)}.`];
  });
}

async function environmentDeletion(target: Target, reader: Reader): Promise<readonly PlanLine[]> {
  const { id } = target;
  if (id === undefined) return [notKnown('what is deleted')];
  const [rows, statuses, own, rules, stays] = await Promise.all([
    servicesIn(id, reader),
    statusesIn(id, reader),
    environmentLines(id, reader),
    allRules(reader),
    projectLines(target, reader),
  ]);
  if (!rows) return [notKnown('which services are in it, with what data'), ...stays];
  const services = rows.flatMap((row) => serviceIn(row, statuses) ?? []);
  const others = rows.length - services.length;
  const lines = await Promise.all(services.map((service) => serviceLines(service, reader)));
  return [
    ...(rows.length === 0 ? ['There are no services in it.'] : lines.flat()),
    ...(others > 0
      ? [`Deletes ${others} more ${others === 1 ? 'service' : 'services'} of a kind that is not known.`]
      : []),
    ...own,
    'Not looked for: what other environments need of it.',
    ...ruleLines(rules, [id, ...services.map((service) => service.id)]),
    ...stays,
    ...underWayLines(services),
  ];
}

/**
 * Everything that is deleted with a service or environment: data, addresses, variables, alert rules; its dependents;
 * and deployments in progress.
 */
export const deletion: Preview = reading(deletionReads, async (_, { target, reader }) => [
  'It is taken down and deleted with all that is its own. Nothing of it can be brought back.',
  ...(await (target.kind === 'environment' ? environmentDeletion : serviceDeletion)(target, reader)),
]);
