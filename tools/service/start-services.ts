import { operations, serviceKinds } from '../../src/contract/index.ts';
import { at, chosenServices, composeTool, type JsonRecord, type PlannedOperation } from '../../src/server/tool/index.ts';
import { byEnvironment, serviceCandidates, choiceRules, isUnderWay, readsOfChoice, serviceChoice, type Candidate } from '../shared/service-choice.ts';
import { severalAnswer, severalNext, severalOutput, severalRender, type SeveralWords } from '../shared/several-services.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

const startable: readonly string[] = ['application', 'container', 'database', 'helm'] satisfies readonly (typeof serviceKinds)[number][];

/** Why a service is not started; undefined if it is. */
function reasonAgainst(candidate: Candidate): string | undefined {
  const { kind, state } = candidate;
  if (kind === 'job') return 'starting runs no jobs';
  if (kind === 'terraform') return 'starting runs no Terraform';
  if (!startable.includes(kind)) return `${kind} services can not be started here`;
  if (state === undefined) return 'whether it is stopped can not be read';
  if (isUnderWay(candidate)) return 'a deployment of it is under way';
  return state === 'STOPPED' ? undefined : state === 'READY' ? 'never deployed' : 'not stopped';
}

/** The commit of an application that ran before. */
const commitOf = (record: JsonRecord): string | undefined => {
  const commit = at(record, 'git_repository.deployed_commit_id');
  return typeof commit === 'string' && commit !== '' ? commit : undefined;
};

function inputFor(services: readonly Candidate[]): JsonRecord {
  const of = (kind: string): readonly Candidate[] => services.filter((one) => one.kind === kind);
  const applications = of('application').map(({ id, record }) => {
    const commit = commitOf(record);
    return { application_id: id, ...(commit !== undefined && { git_commit_id: commit }) };
  });
  const lists = { applications, containers: of('container').map(({ id }) => ({ id })), helms: of('helm').map(({ id }) => ({ id })), databases: of('database').map(({ id }) => id) };
  return { environment_id: services[0]!.environment.id, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) };
}

/** The version that a service starts with, where it is told. */
const versionNote = (record: JsonRecord): string | undefined => {
  const commit = commitOf(record);
  if (commit !== undefined) return `commit ${commit}, which ran before`;
  return typeof record['tag'] === 'string' ? `tag ${record['tag']}` : undefined;
};

const words: SeveralWords = { accepted: 'starting', done: 'running', goodStates: ['DEPLOYED', 'RUNNING', 'RESTARTED'] };

export const startServices = composeTool({
  name: 'start_services',
  toolset: 'services',
  description:
    'Start stopped services again, resume them, bring an environment back up in the morning, with the commits and tags that ran before: by list, ' +
    'or everything in a project, environment or mode. Runs no jobs and no Terraform.',
  input: { ...serviceChoice, ...waitForEnd },
  rules: choiceRules,
  spansEnvironments: true,
  operations: [operations.start_services],
  expand: async (args, context): Promise<readonly PlannedOperation[]> =>
    byEnvironment((await serviceCandidates(args, context)).filter((one) => reasonAgainst(one) === undefined)).map((services) => ({
      operation: operations.start_services, input: inputFor(services), about: services[0]!.environment.path,
    })),
  preview: chosenServices('Starts', versionNote),
  reads: readsOfChoice,
  output: severalOutput,
  answer: (args, context) => severalAnswer(args, context, { words, reasonAgainst }),
  render: severalRender,
  next: severalNext(words.accepted, 'DEPLOY'),
});
