import { operations, startableKinds, type ServiceKind } from '../../src/contract/index.ts';
import {
  statusRowsIn,
  chosenServices,
  composeTool,
  idsInLists,
  recordsIn,
  rowsIn,
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

/** Why a service is not started; undefined if it is. */
async function reasonAgainst(candidate: Candidate, context: Pick<ToolContext, 'attempt'>): Promise<string | undefined> {
  const { id, kind, state, deployed } = candidate;
  if (kind === 'job') return 'starting runs no jobs';
  if (kind === 'terraform') return 'starting runs no Terraform';
  if (!startable.includes(kind)) return `${kind} services can not be started here`;
  if (state === undefined) return 'whether it is stopped can not be read';
  if (isUnderWay(candidate)) return 'a deployment of it is under way';
  if (state !== 'STOPPED') return state === 'READY' ? neverDeployed : 'not stopped';
  // Stopping a whole environment also stops what never ran in it.
  if (deployed === 'NEVER_DEPLOYED') return neverDeployed;
  if (deployed === 'UP_TO_DATE') return undefined;
  return (await hasNeverRun(kind as ServiceKind, id, context)) ? neverDeployed : undefined;
}

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
  preview: chosenServices('Starts', async (record, _, reader) => (await versionToStart(record, reader)).note),
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
  next: (view) => [...nextToStarted(view), ...nextForJobs(view)],
});
