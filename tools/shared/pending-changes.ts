import { isServiceKind, operations } from '../../src/contract/index.ts';
import {
  idsInLists,
  isRecord,
  notAgreedTo,
  notKnown,
  reading,
  readServiceStatus,
  readUses,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
} from '../../src/server/tool/index.ts';
import { readAspect, readsByKind } from './any-service.ts';
import { observedServices, type ObservedService } from './observed-services.ts';
import { allSeenBy, isOwnerKind, type SeenVariables } from './owned-variables.ts';
import { someNames, unlessFailing } from './places.ts';
import type { Reads } from './variable-views.ts';
import {
  configurationSetSince,
  isOutOfDate,
  pendingText,
  readsOfDifference,
  variablesSetSince,
  type Change,
} from './what-differs.ts';

/** A service with its configuration and status, as far as they were read. */
export interface PlacedService {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly configuration?: JsonRecord;
  readonly status?: JsonRecord;
}

/** A service that is out of date, and when it was deployed. */
interface Outdated extends PlacedService {
  readonly deployed: string;
}

/** Most changes that are told one by one. */
const mostChanges = 8;
/** Most services that are named with each. */
const mostNamed = 5;
/** Most services of which all that they see is read; of more, only what they share. */
const mostLists = 2;

type SeenBy = (service: PlacedService) => SeenVariables | undefined;

/** What services see: each of a few, or else what all of them see of their environment and project. */
async function seenByThese(
  services: readonly PlacedService[],
  environment: string | undefined,
  reads: Reads,
): Promise<{ readonly seenBy: SeenBy; readonly isShared: boolean }> {
  const owners = services.flatMap(({ kind, id }) => (isOwnerKind(kind) ? [{ kind, id }] : []));
  if (owners.length > mostLists && environment !== undefined) {
    const shared = await unlessFailing(allSeenBy('environment', environment, reads));
    return { seenBy: ({ kind }) => (isOwnerKind(kind) ? shared : undefined), isShared: true };
  }
  const lists = await Promise.all(
    owners
      .slice(0, mostLists)
      .map(async ({ kind, id }) => [id, await unlessFailing(allSeenBy(kind, id, reads))] as const),
  );
  const byId = new Map(lists);
  return { seenBy: ({ id }) => byId.get(id), isShared: false };
}

/** The changes of one service since it was deployed. */
const changesOf = ({ deployed, configuration }: Outdated, seen: SeenVariables | undefined): readonly Change[] => [
  ...configurationSetSince(deployed, configuration),
  ...(seen ? variablesSetSince(deployed, seen) : []),
];

/** A fact before a deployment, and what is left to tell of it afterwards. */
interface Told {
  readonly text: string;
  readonly after: string;
}

/** What changed since services were deployed, as told before and after the deployment that takes it along. */
interface ToldChanges {
  readonly changes: readonly Told[];
  readonly notes: readonly Told[];
}

/** What changed since services were deployed. */
interface PendingChanges {
  /** The changes, without values, with the services that have them. */
  readonly changes: readonly string[];
  /** What isn't known or shown of them, as sentences. */
  readonly notes: readonly string[];
}

const none: ToldChanges = { changes: [], notes: [] };

const alike = (text: string): Told => ({ text, after: text });

/**
 * What changed since those of some services were deployed that are out of date. Takes at most two reads of variables
 * and two of secrets, and none if no service is out of date.
 * @param environment the id of the one that all of them lie in
 * @param options `isOne`: whether the service is the only one that the caller speaks of, so that it isn't named
 */
async function toldChanges(
  services: readonly PlacedService[],
  environment: string | undefined,
  reads: Reads,
  { isOne = false }: { readonly isOne?: boolean } = {},
): Promise<ToldChanges> {
  const outdated = services.filter(({ status }) => isOutOfDate(status));
  const dated = outdated.flatMap((service): Outdated[] => {
    const deployed = textOf(service.status, 'last_deployment_date');
    return deployed === undefined ? [] : [{ ...service, deployed }];
  });
  if (outdated.length === 0) return none;
  const { seenBy, isShared } = await seenByThese(dated, environment, reads);
  const found = dated.map((service) => ({ service, changes: changesOf(service, seenBy(service)) }));
  const byChange = Map.groupBy(
    found.flatMap(({ service, changes }) => changes.map((change) => ({ change, name: show(service.name) }))),
    ({ change }) => pendingText(change),
  );
  const changes = [...byChange].map(([text, rows]) => {
    const names = rows.map(({ name }) => name);
    const of = isOne ? '' : `: ${someNames(names, mostNamed)}`;
    return { text: `${text}${of}`, after: `${rows[0]!.change.text}${of}` };
  });
  const explained = new Set(found.flatMap(({ service, changes: own }) => (own.length > 0 ? [service.id] : [])));
  const others = outdated.filter(({ id }) => !explained.has(id)).map(({ name }) => show(name));
  const ofOthers = isOne ? '' : ` of ${someNames(others, mostNamed)}`;
  return {
    changes: changes.slice(0, mostChanges),
    notes: [
      ...(changes.length > mostChanges ? [alike(`${changes.length - mostChanges} more changes are not shown.`)] : []),
      ...(others.length > 0
        ? [
            {
              text: `Not known: what differs from what runs${ofOthers}; something may have been removed.`,
              after: `Not known: what else changed with it${ofOthers}; something may have been removed.`,
            },
          ]
        : []),
      ...(isShared
        ? [alike('Not looked at: variables of single services. Where there are any, they count before these.')]
        : []),
    ],
  };
}

const texts = (told: readonly Told[]): readonly string[] => told.map(({ text }) => text);

/** The same as `toldChanges`, as long as nothing is deployed. */
export async function pendingChanges(...args: Parameters<typeof toldChanges>): Promise<PendingChanges> {
  const { changes, notes } = await toldChanges(...args);
  return { changes: texts(changes), notes: texts(notes) };
}

/** Services as the lists of their environment show them. */
export const placedServices = (services: readonly ObservedService[]): readonly PlacedService[] =>
  services.map(({ status, ...service }) => ({ ...service, ...(status && { status: { ...status } }) }));

/**
 * The services of an environment with their statuses, from a list that the call has read or by new reads; undefined if
 * there are no statuses.
 */
async function servicesWithStatus(
  environment: string,
  reader: Parameters<Preview>[1]['reader'],
): Promise<readonly PlacedService[] | undefined> {
  const wide = (await reader.answered(operations.list_services_of_organization))
    .flatMap((answer) => rowsIn(answer))
    .filter((row) => row['environment_id'] === environment);
  if (wide.length > 0 && wide.every(({ status }) => isRecord(status)))
    return wide.map((row) => ({
      kind: textOf(row, 'service_type')?.toLowerCase() ?? '',
      id: String(row['id']),
      name: textOf(row, 'name') ?? String(row['id']),
      configuration: row,
      ...(isRecord(row['status']) && { status: row['status'] }),
    }));
  const services = placedServices((await observedServices(reader, environment)) ?? []);
  return services.length === 0 || services.some(({ status }) => status) ? services : undefined;
}

/** The changes that a deployment of the target takes along: a service, an environment or some services of it. */
async function changesTaken(
  args: JsonRecord,
  { target: { kind, id, environment }, reader }: Parameters<Preview>[1],
): Promise<ToldChanges | undefined> {
  if (id === undefined) return none;
  if (isServiceKind(kind)) {
    const [found, configuration] = await Promise.all([
      readServiceStatus({ kind, id, environmentId: environment?.id }, reader),
      readAspect(reader, { kind, id }, 'configuration'),
    ]);
    const service = { kind, id, name: textOf(configuration, 'name') ?? id, configuration, status: found?.status };
    return toldChanges([service], environment?.id, reader, { isOne: true });
  }
  if (kind !== 'environment') return none;
  const chosen = Object.values(args).some(Array.isArray) ? new Set(idsInLists(args)) : undefined;
  const services = await servicesWithStatus(id, reader);
  return services && toldChanges(chosen ? services.filter((one) => chosen.has(one.id)) : services, id, reader);
}

const unknown = 'which changes since the last deployment it takes along';

/**
 * The changes of variables, secrets and configurations since its last deployment that a deployment takes along. An
 * agreement doesn't cover them, like the newest commit: others may change something meanwhile.
 */
export const takenAlong: Preview = reading(
  [
    ...readUses(`${unknown} is not told`, operations.list_services, operations.get_environment_status),
    ...readsByKind('status', 'the state'),
    ...readsByKind('configuration', 'the configuration'),
    ...readsOfDifference,
  ],
  async (args, context): Promise<readonly PlanLine[]> => {
    const taken = await unlessFailing(changesTaken(args, context));
    if (!taken) return [notAgreedTo(notKnown(unknown))];
    return [
      ...taken.changes.map(({ text, after }) => ({ text: `Takes along: ${text}.`, after: `Included: ${after}.` })),
      ...taken.notes,
    ].map((line) => ({ ...line, agreed: '' }));
  },
);
