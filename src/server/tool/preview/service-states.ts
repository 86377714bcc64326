import { isAtRest, isDown, isServiceKind, operations } from '../../../contract/index.ts';
import { isRecord, recordsIn, type JsonRecord } from '../../json/index.ts';
import { rowsIn, statusRowsIn, type Reader, type Target } from '../../context/index.ts';
import { reading, readUses } from '../reads.ts';
import { endingAlertReads, endingAlerts, jobsLeftOff, terraformStays } from './after-a-stop.ts';
import { lostLogReadsOfAll, lostLogsAmong } from './lost-logs.ts';
import { stateBefore, showName, textOf, notKnown, type NoOpCheck, type PlanLine, type Preview } from './preview.ts';

interface Service {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  readonly state?: string;
  /** Whether its configuration changed since it was deployed. */
  readonly outOfDate?: boolean;
}

/** The services of kinds that only this platform has, whose statuses are in separate lists. */
const ofOtherKinds = (answer: JsonRecord | undefined): Service[] =>
  Object.entries(answer ?? {}).flatMap(([member, list]) => {
    const kind = member.replace(/s$/, '');
    return isServiceKind(kind)
      ? []
      : recordsIn(list).map((row) => ({
          id: String(row['id']),
          name: textOf(row, 'name'),
          type: kind.toUpperCase(),
          state: textOf(row, 'state'),
        }));
  });

/** Whether a service is of a kind that no tool supports; false if its kind is unknown. */
const isOther = ({ type }: Service): boolean => type !== undefined && !isServiceKind(type.toLowerCase());

const stateReads = readUses(
  'the plan shows only a part of the services and their states',
  operations.list_services,
  operations.get_environment_status,
);

/** The services of an environment with their states; undefined if neither can be read. */
async function servicesOf(environmentId: string, reader: Pick<Reader, 'attempt'>): Promise<Service[] | undefined> {
  const input = { environment_id: environmentId };
  const [list, statuses] = await Promise.all([
    reader.attempt(operations.list_services, input),
    reader.attempt(operations.get_environment_status, input),
  ]);
  if (!list && !statuses) return undefined;
  const facts = new Map(
    statusRowsIn(statuses).map((status) => [
      status['id'],
      { state: textOf(status, 'state'), outOfDate: status['service_deployment_status'] === 'OUT_OF_DATE' },
    ]),
  );
  const listed = rowsIn(list).map((row) => ({
    id: String(row['id']),
    name: textOf(row, 'name'),
    type: textOf(row, 'service_type'),
    ...facts.get(row['id']),
  }));
  const unlisted = ofOtherKinds(statuses).filter(({ id }) => !listed.some((service) => service.id === id));
  if (list) return [...listed, ...unlisted];
  const known = statusRowsIn(statuses).filter((status) => !unlisted.some(({ id }) => id === status['id']));
  return [...known.map((status) => ({ id: String(status['id']), ...facts.get(status['id']) })), ...unlisted];
}

const calledText = ({ id, name, type }: Service): string =>
  `${name === undefined ? id : showName(name)}${type === undefined ? '' : ` (${type})`}`;

const serviceText = (service: Service): string =>
  `${calledText(service)}, now ${service.state ?? 'in a state that is not known'}`;

/** A confirmation covers the service's id and the effect on it, but not its state. */
const serviceLine = (verb: string, service: Service): PlanLine => ({
  text: `${verb} ${serviceText(service)}.`,
  agreed: `${verb} ${service.id}`,
  after: `${verb} ${calledText(service)}.`,
});

const otherLine = (service: Service, isChoice: boolean): PlanLine => ({
  text: `${isChoice ? 'Not among them: ' : ''}${serviceText(service)}. No tool acts on services of this kind${isChoice ? '' : ', and whether the platform does is not known'}.`,
  agreed: `other ${service.id}`,
});

const chosenIds = (args: JsonRecord): string[] =>
  Object.entries(args).flatMap(([name, value]) =>
    name.endsWith('_ids') && Array.isArray(value) ? value.map(String) : [],
  );

type Lines = (services: readonly Service[]) => readonly PlanLine[];

/**
 * The services of the target environment that a call affects, with their states: those whose ids it names, or all if it
 * names none. Then those of kinds that no tool supports.
 * @param linesFor what happens to them
 */
const affected = (linesFor: Lines): Preview =>
  reading(stateReads, async (args, { target, reader }) => {
    const all = target.id === undefined ? undefined : await servicesOf(target.id, reader);
    if (!all) return [notKnown('which services there are, and in what state')];
    const ids = chosenIds(args);
    if (all.length + ids.length === 0) return ['There are no services in it.'];
    const isChoice = ids.length > 0;
    const chosen = all.filter((service) => (isChoice ? ids.includes(service.id) : !isOther(service)));
    const others = all.filter((service) => isOther(service) && !chosen.includes(service));
    const unknownIds = ids.filter((id) => !all.some((service) => service.id === id));
    return [
      ...linesFor(chosen),
      ...unknownIds.map((id) => `${id} is no service of this environment.`),
      ...others.map((service) => otherLine(service, isChoice)),
    ];
  });

/** The services that a call affects. @param verb what happens to each. */
const services = (verb: string): Preview => affected((chosen) => chosen.map((service) => serviceLine(verb, service)));

const isOf = ({ type }: Service, kind: string): boolean => type?.toLowerCase() === kind;

const stopLine = (service: Service): PlanLine =>
  isOf(service, 'terraform')
    ? {
        text: `Stops nothing of ${serviceText(service)}: ${terraformStays}.`,
        agreed: `Stops nothing of ${service.id}`,
        after: `Stops nothing of ${calledText(service)}: ${terraformStays}.`,
      }
    : serviceLine('Takes down', service);

const takenDownLines: Preview = affected((all) => [
  ...all.map(stopLine),
  ...jobsLeftOff(all.filter((service) => isOf(service, 'job')).map(({ id, name }) => name ?? id)),
]);

/** The ids of an environment and its services, as far as they can be read. */
async function idsWithin(environmentId: string | undefined, reader: Reader): Promise<readonly unknown[]> {
  const all = environmentId === undefined ? undefined : await servicesOf(environmentId, reader);
  return [environmentId, ...(all ?? []).map(({ id }) => id)];
}

/** For stopping an environment: its services, what brings its jobs back, and which alerts may end. */
export const takenDown: Preview = reading([...stateReads, ...endingAlertReads], async (args, context) => {
  const { target, reader } = context;
  const [lines, ending] = await Promise.all([
    takenDownLines(args, context),
    endingAlerts(idsWithin(target.id, reader), reader),
  ]);
  return [...lines, ...ending];
});

const nameOf = ({ id, name }: Service): string => (name === undefined ? id : showName(name));

/**
 * The services with these ids whose configuration has changed since they were deployed: a restart doesn't apply the
 * change. Empty if that can't be read.
 */
export async function outOfDateIn(
  environmentId: string,
  ids: readonly string[],
  reader: Pick<Reader, 'attempt'>,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const all = (await servicesOf(environmentId, reader)) ?? [];
  return all
    .filter(({ id, outOfDate }) => outOfDate === true && ids.includes(id))
    .map((service) => ({ id: service.id, name: nameOf(service) }));
}

/** The services that a call names, with their kinds from the names of the arguments. */
const chosenServices = (args: JsonRecord): readonly { readonly kind: string; readonly id: string }[] =>
  Object.entries(args).flatMap(([name, ids]) =>
    name.endsWith('_ids') && Array.isArray(ids) ? ids.map((id) => ({ kind: name.slice(0, -4), id: String(id) })) : [],
  );

const restartReads = [...stateReads, ...lostLogReadsOfAll];

/**
 * For restarting: the chosen services with their states, those for which a restart isn't enough, and what is lost of
 * their logs.
 */
export const restarts: Preview = reading(restartReads, async (args, context) => {
  const { target, reader } = context;
  const [stale, lines, lost] = await Promise.all([
    target.id === undefined ? [] : outOfDateIn(target.id, chosenIds(args), reader),
    services('Restarts')(args, context),
    lostLogsAmong(chosenServices(args), reader),
  ]);
  return [
    ...lines,
    ...lost,
    ...stale.map(({ name }) =>
      stateBefore(
        `${name} is out of date: restarting keeps what runs now. Only deploying it brings its changes into effect.`,
      ),
    ),
  ];
});

const isUnderWay = ({ state }: Service): boolean => state !== undefined && !isAtRest(state);

/** The services of the target environment that a deployment is changing now. */
export const underWay: Preview = reading(stateReads, async (_, { target, reader }) => {
  const all = target.id === undefined ? undefined : await servicesOf(target.id, reader);
  const found = all?.filter(isUnderWay) ?? [];
  return found.length > 0
    ? found.map((service) => serviceLine('Cancels what is under way of', service))
    : [notKnown('what is under way')];
});

/**
 * The services of an environment as text, if all have a state that fits and the environment is at rest; otherwise
 * undefined.
 */
async function servicesIfAll(
  target: Target,
  reader: Reader,
  fits: (state: string) => boolean,
): Promise<readonly string[] | undefined> {
  const all = target.id === undefined ? undefined : await servicesOf(target.id, reader);
  // An empty list may mean that the services can't be seen.
  if (!all || all.length === 0 || !all.every(({ state }) => state !== undefined && fits(state))) return undefined;
  const environment = (
    await reader.attempt(operations.get_environment_status, { environment_id: String(target.id) })
  )?.['environment'];
  const state = isRecord(environment) ? textOf(environment, 'state') : undefined;
  return state === undefined || isAtRest(state) ? all.map((service) => `${serviceText(service)}.`) : undefined;
}

/** For cancelling: no deployment is running or queued in the target environment. */
export const nothingUnderWay: NoOpCheck = reading(stateReads, async (_, { target, reader }) => {
  const seen = await servicesIfAll(target, reader, isAtRest);
  return seen && { why: 'no deployment is running or queued in this environment', seen };
});

/** For stopping: nothing runs in the target environment. */
export const allDown: NoOpCheck = reading(stateReads, async (_, { target, reader }) => {
  const seen = await servicesIfAll(target, reader, isDown);
  return seen && { why: 'nothing runs in this environment', seen };
});
