import { operations, startableKinds, type ServiceKind } from '../../src/contract/index.ts';
import {
  statusRowsIn,
  chosenServices,
  composeTool,
  idsInLists,
  recordsIn,
  rowsIn,
  textOf,
  type JsonRecord,
  type NextCall,
  type PlannedOperation,
  type Tool,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  byEnvironment,
  serviceCandidates,
  neededChoice,
  isUnderWay,
  readsOfChoice,
  serviceChoice,
  type Candidate,
} from '../shared/service-choice.ts';
import {
  severalAnswer,
  severalNext,
  severalOutput,
  severalRender,
  whyNoneChanged,
  type SeveralWords,
} from '../shared/several-services.ts';
import { hasNeverRun, readsOfVersions, versionToStart } from '../shared/version-before.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

const startable: readonly string[] = startableKinds;
const neverDeployed = 'never deployed';
const notStopped = 'not stopped';
/** It was stopped before any deployment made it run, so there is no version to start. */
const neverRan = 'it never ran, and only a deployment that ends well brings it up';

/** Why a service is not started; undefined if it is. */
async function reasonAgainst(
  candidate: Pick<Candidate, 'id' | 'kind' | 'state' | 'deployed'>,
  context: Pick<ToolContext, 'attempt'>,
): Promise<string | undefined> {
  const { id, kind, state, deployed } = candidate;
  if (kind === 'job') return 'starting runs no jobs';
  if (kind === 'terraform') return 'starting runs no Terraform';
  if (!startable.includes(kind)) return `${kind} services can not be started here`;
  if (state === undefined) return 'whether it is stopped can not be read';
  if (isUnderWay(candidate)) return 'a deployment of it is under way';
  if (state !== 'STOPPED') return state === 'READY' ? neverDeployed : notStopped;
  // Stopping a whole environment also stops what never ran in it.
  if (deployed === 'NEVER_DEPLOYED') return neverRan;
  if (deployed === 'UP_TO_DATE') return undefined;
  return (await hasNeverRun(kind as ServiceKind, id, context)) ? neverRan : undefined;
}

/** The same for a plan, from what the call has read; nothing where the state tells it. */
const whyLeftAlone = async (
  record: JsonRecord,
  status: JsonRecord | undefined,
  reader: Pick<ToolContext, 'answered'>,
): Promise<string | undefined> => {
  const reason = await reasonAgainst(
    {
      id: String(record['id']),
      kind: (textOf(record, 'service_type') ?? 'unknown').toLowerCase(),
      state: textOf(status, 'state'),
      deployed: textOf(status, 'service_deployment_status'),
    },
    { attempt: async (operation, input) => (await reader.answered(operation, input))[0] },
  );
  return reason === notStopped ? undefined : reason;
};

const services = (all: readonly Candidate[], kind: string): readonly Candidate[] =>
  all.filter((one) => one.kind === kind);

/** The request that starts services of one environment, each with the version that ran before. */
async function inputFor(all: readonly Candidate[], context: ToolContext): Promise<JsonRecord> {
  const environment_id = all[0]!.environment.id;
  // The rows of wider lists have no versions.
  const rows = rowsIn(await context.attempt(operations.list_services, { environment_id }));
  const named = (kind: string, member: string): Promise<readonly JsonRecord[]> =>
    Promise.all(
      services(all, kind).map(async ({ id, record }) => ({
        [member]: id,
        ...(await versionToStart(rows.find((row) => row['id'] === id) ?? record, context)).input,
      })),
    );
  const [applications, containers, helms] = await Promise.all([
    named('application', 'application_id'),
    named('container', 'id'),
    named('helm', 'id'),
  ]);
  const lists = { applications, containers, helms, databases: services(all, 'database').map(({ id }) => id) };
  return { environment_id, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) };
}

/** Whether a deployment of several services starts one of them: then a rule that denies starting denies it. */
const isStart: NonNullable<Tool['matchesAction']> = async ({ input }, reader) => {
  const statuses = await reader.attempt(operations.get_environment_status, {
    environment_id: String(input['environment_id']),
  });
  const rows = statusRowsIn(statuses);
  const states = idsInLists(input).map((id) => rows.find((row) => row['id'] === id)?.['state']);
  if (states.includes('STOPPED')) return 'yes';
  return states.includes(undefined) ? 'unknown' : 'no';
};

const words: SeveralWords = {
  accepted: 'starting',
  done: 'running',
  can: 'started',
  goodStates: ['DEPLOYED', 'RUNNING', 'RESTARTED'],
  kinds: startable,
};

/** A stopped service that never ran, which starting leaves out: what failed before will fail again. */
function nextForNeverRun(view: JsonRecord): readonly NextCall[] {
  const row = recordsIn(view['results']).find(({ what }) => what === `left out: ${neverRan}`);
  return row === undefined
    ? []
    : [
        {
          tool: 'diagnose_deployment',
          arguments: { service: row['id'] },
          why: 'why it never ran: once that is mended, deploying it brings it up',
        },
      ];
}

/** Stopped jobs, which starting leaves out: without a deployment their schedules stay off. */
function nextForJobs(view: JsonRecord): readonly NextCall[] {
  const jobs = recordsIn(view['results']).filter(({ kind, state }) => kind === 'job' && state === 'STOPPED');
  const [first, ...others] = jobs.map(({ id }) => ({ service: id }));
  if (!first) return [];
  return [
    {
      tool: 'deploy_service',
      arguments: others.length === 0 ? first : { services: [first, ...others] },
      why: `stopped jobs (${jobs.length}) stay off their schedules until they are deployed, which may also run them once`,
    },
  ];
}

const nextToStarted = severalNext(words.accepted, 'DEPLOY');

export const startServices = composeTool({
  name: 'start_services',
  toolset: 'services',
  title: 'Start a stopped service, bring up again',
  description:
    'Start or resume a stopped service, paused services, put online, wake, turn on or bring an environment up, with ' +
    'their earlier versions. Runs no job, no Terraform.',
  input: { ...serviceChoice, ...waitForEnd },
  ...neededChoice,
  spansEnvironments: true,
  operations: [operations.deploy_services],
  matchesAction: isStart,
  expand: async (args, context): Promise<readonly PlannedOperation[]> => {
    const candidates = await serviceCandidates(args, context);
    const reasons = await Promise.all(candidates.map((one) => reasonAgainst(one, context)));
    return Promise.all(
      byEnvironment(candidates.filter((_, index) => reasons[index] === undefined)).map(async (all) => ({
        operation: operations.deploy_services,
        input: await inputFor(all, context),
        about: all[0]!.environment.path,
      })),
    );
  },
  preview: chosenServices('Starts', async (record, _, reader) => (await versionToStart(record, reader)).note, {
    whyNot: whyLeftAlone,
  }),
  reads: [...readsOfChoice, ...readsOfVersions],
  output: severalOutput,
  answer: (args, context) =>
    severalAnswer(args, context, {
      words,
      // What was left out has the history that it had.
      reasonAgainst: (one) => reasonAgainst(one, { attempt: context.before }),
    }),
  render: severalRender,
  whyNothing: whyNoneChanged(words),
  next: (view) => [...nextToStarted(view), ...nextForNeverRun(view), ...nextForJobs(view)],
});
