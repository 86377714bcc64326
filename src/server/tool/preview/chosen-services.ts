import { isDown, operations } from '../../../contract/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import {
  listOfOrganization,
  rowsIn,
  servicesIn,
  statusRowsIn,
  textIn,
  type Reader,
  type Target,
} from '../../context/index.ts';
import { endingAlertReads, endingAlerts, jobsLeftOff } from './after-a-stop.ts';
import { loggingAmong, lostLogReadsOfAll, lostLogsAmong } from './lost-logs.ts';
import { reading, readUses } from '../reads.ts';
import { undoneRollbackReads, undoneRollbacksAmong } from './undone-rollbacks.ts';
import { chartReads, chartsOfReleases } from './version-lookups.ts';
import { stateBefore, notKnown, rowWith, showName, showPath, textOf, type PlanLine, type Preview } from './preview.ts';

/** The items in the lists of an input: ids, and records with an id. */
export const itemsInLists = (input: JsonRecord): readonly (JsonRecord & { readonly id: string })[] =>
  Object.values(input)
    .flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    .flatMap((item) => {
      const { application_id, id = application_id, ...more }: JsonRecord = isRecord(item) ? item : { id: item };
      return typeof id === 'string' ? [{ ...more, id }] : [];
    });

/** The ids in the lists of an input. */
export const idsInLists = (input: JsonRecord): readonly string[] => itemsInLists(input).map(({ id }) => id);

/** An environment with its project and mode: environments of several projects can have the same name. */
async function placeOf({ id, name, project, mode }: Target, reader: Reader): Promise<string> {
  const projectName =
    project?.name ??
    textOf(
      project?.id === undefined
        ? undefined
        : rowWith(await listOfOrganization(operations.list_projects, reader), project.id),
      'name',
    );
  const names = [projectName, name ?? id].filter((part) => part !== undefined);
  return `${showPath(names)} (${mode === 'unknown' ? 'mode not known' : mode})`;
}

const nameOf = (row: JsonRecord): string => textOf(row, 'name') ?? String(row['id']);

const textFor = (row: JsonRecord): string =>
  `${(textOf(row, 'service_type') ?? 'service').toLowerCase()} ${showName(nameOf(row))}`;

/** Whether starting leaves a service off that was stopped: a job, and what no deployment made run. */
const isLeftOff = (row: JsonRecord, status: JsonRecord | undefined): boolean =>
  textOf(row, 'service_type') === 'JOB' || status?.['service_deployment_status'] === 'NEVER_DEPLOYED';

const textsIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(String) : []);

/** Statuses with a state, by the ids of their services. */
const statusesIn = (rows: readonly JsonRecord[]): ReadonlyMap<unknown, JsonRecord> =>
  new Map(
    rows.flatMap(({ id, status }) =>
      isRecord(status) && textIn(status, 'state') !== undefined ? [[id, status] as const] : [],
    ),
  );

/**
 * The statuses of services by their ids: from their own rows or those of a wider list that the call has read, if these
 * have the states of all of them; otherwise from the statuses of their environment.
 */
async function statusesOf(
  rows: readonly JsonRecord[],
  environment_id: string | undefined,
  reader: Reader,
): Promise<ReadonlyMap<unknown, JsonRecord>> {
  const wide = await reader.answered(operations.list_services_of_organization);
  const known = statusesIn([...wide.flatMap((answer) => rowsIn(answer)), ...rows]);
  if (environment_id === undefined || rows.every(({ id }) => known.has(id))) return known;
  const statuses: JsonRecord | undefined = await reader.attempt(operations.get_environment_status, { environment_id });
  return statusesIn(statusRowsIn(statuses).map((status) => ({ id: status['id'], status })));
}

const previewReads = [
  ...readUses(
    'the plan shows only ids of services, or not their states',
    operations.list_services,
    operations.get_environment_status,
  ),
  ...readUses('the plan does not show the names of projects', operations.get_organization, operations.list_projects),
];

const replacingReads = [...lostLogReadsOfAll, ...undoneRollbackReads, ...chartReads];

interface ChoiceOptions {
  /**
   * Whether others replace the running instances: the plan then says which rollbacks that undoes, whether chart versions
   * exist, and whether lines of logs are lost.
   */
  readonly replaces?: boolean;
  /** Whether they are stopped: it then says which of them starting leaves off, and which alerts may end. */
  readonly stops?: boolean;
  /** Why a service is left alone, if its state doesn't tell. */
  readonly whyNot?: (
    service: JsonRecord,
    status: JsonRecord | undefined,
    reader: Reader,
  ) => Promise<string | undefined>;
}

/**
 * The services that a call changes in its target environment, each with environment, mode and state; and those of the
 * same environment that it doesn't change.
 * @param verb what happens to each.
 * @param note an addition to a service's line, based on the request's members about it.
 */
export const chosenServices = (
  verb: string,
  note: (
    service: JsonRecord,
    asked: JsonRecord,
    reader: Reader,
  ) => string | undefined | Promise<string | undefined> = () => undefined,
  { replaces = false, stops = false, whyNot = async () => undefined }: ChoiceOptions = {},
): Preview =>
  reading(
    [...previewReads, ...(replaces ? replacingReads : []), ...(stops ? endingAlertReads : [])],
    async (args, { target, reader }) => {
      const ids = idsInLists(args);
      const [place, rows] = await Promise.all([placeOf(target, reader), servicesIn(target.id, reader)]);
      if (!rows)
        return [
          ...ids.map((id) => `${verb} ${id} in ${place}.`),
          ...(stops ? jobsLeftOff(textsIn(args['job_ids']), place) : []),
          notKnown('the names and states of these services'),
        ];
      const asked = new Map<unknown, JsonRecord>(itemsInLists(args).map(({ id, ...more }) => [id, more]));
      const chosen = rows.filter((row) => ids.includes(String(row['id'])));
      const others = rows.filter((row) => !ids.includes(String(row['id'])));
      const commitOf = ({ id }: JsonRecord): string | undefined => textOf(asked.get(id), 'git_commit_id');
      const chartVersionOf = ({ id }: JsonRecord): string | undefined => textOf(asked.get(id), 'chart_version');
      const [statuses, notes, undone, charts, lost, ending] = await Promise.all([
        statusesOf(rows, target.id, reader),
        Promise.all(chosen.map(async (row) => note(row, asked.get(row['id']) ?? {}, reader))),
        // Without a commit, a service of a list stays at its own.
        replaces ? undoneRollbacksAmong(chosen.filter(commitOf), reader, commitOf) : [],
        replaces ? chartsOfReleases(chosen, chartVersionOf, reader) : [],
        replaces ? lostLogsAmong(loggingAmong(chosen), reader) : [],
        stops ? endingAlerts([...ids, target.id], reader) : [],
      ]);
      const stateOf = (row: JsonRecord): string =>
        textIn(statuses.get(row['id']), 'state') ?? 'in a state that is not known';
      // What is down already stays so when others are stopped.
      const told = stops ? others.filter((row) => !isDown(stateOf(row))) : others;
      const reasons = await Promise.all(told.map(async (row) => whyNot(row, statuses.get(row['id']), reader)));
      const otherText = (row: JsonRecord, index: number): string =>
        `${textFor(row)} (${stateOf(row)}${reasons[index] === undefined ? '' : `: ${reasons[index]}`})`;
      const lineFor = (row: JsonRecord, index: number): PlanLine => {
        // In few words: the plan of all services of an organization has to fit into one question.
        const more =
          notes[index] ?? (stops && isLeftOff(row, statuses.get(row['id'])) ? 'starting leaves it off' : undefined);
        const what = `${verb} ${textFor(row)} in ${place}`;
        return {
          text: `${what}, now ${stateOf(row)}${more === undefined ? '' : `: ${more}`}.`,
          agreed: `${what} ${String(row['id'])} ${more ?? ''}`,
          after: `${what}${more === undefined ? '' : `: ${more}`}.`,
        };
      };
      return [
        ...undone,
        ...charts,
        ...chosen.map(lineFor),
        ...lost,
        ...ending,
        ...ids.filter((id) => !rows.some((row) => row['id'] === id)).map((id) => `${id} is no service of ${place}.`),
        ...(told.length === 0 ? [] : [stateBefore(`Leaves alone in ${place}: ${told.map(otherText).join(', ')}.`)]),
      ];
    },
  );
