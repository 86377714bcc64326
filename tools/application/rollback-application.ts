import * as z from 'zod';
import type { InputOf } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { maximumPageSize, reference } from '../../src/contract/primitives.ts';
import { DeployRequest } from '../../src/contract/resources/deployment.ts';
import { readDeployment, shortCommit, type HistoryItem, type PastDeployment } from '../../src/analysis/history.ts';
import { isRollback, findRollbackTarget, type CommitDeployment, type RollbackTarget } from '../../src/analysis/rollback-target.ts';
import { planOperation, composeTool, deployment, isRecord, naming, type JsonRecord, type ToolContext, type Tool } from '../../src/server/tool/index.ts';
import { afterwards, begun } from '../deployment/begun.ts';
import { askedFor, wait } from '../deployment/waiting.ts';
import { subjectAt } from '../service/any-kind.ts';

const commitsOf = (releases: readonly CommitDeployment[]): string => [...new Set(releases.map(({ commit }) => commit))].join(', ');

/** Most pages of history that are read: how old a commit is shows only where its first deployment does. */
const mostPages = 5;

interface History {
  /** Newest first. */
  readonly past: readonly PastDeployment[];
  /** Whether it reaches back to the first deployment. */
  readonly isWhole: boolean;
}

/**
 * The deployments of an application; undefined where the platform doesn't show them.
 * @param read gives a page of them.
 */
async function historyOf(read: (input: InputOf<typeof operations.list_application_deployments>) => Promise<{ readonly results?: unknown } | undefined>, application_id: string): Promise<History | undefined> {
  const past: PastDeployment[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    // Each page is wanted only where the one before was full.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await read({ application_id, page, page_size: maximumPageSize });
    if (!answer) return undefined;
    const rows = Array.isArray(answer.results) ? (answer.results as unknown[]).filter(isRecord) : [];
    past.push(...rows.map((item) => readDeployment(item as HistoryItem)));
    if (rows.length < maximumPageSize) return { past, isWhole: true };
  }
  return { past, isWhole: false };
}

const nameCommit = naming`Name the commit yourself: ${'deploy_application'} with git_commit_id.`;

/**
 * Where going back leads, as the application's history shows it.
 * @param without a deployment that doesn't count, because this call began it.
 */
async function findWay(context: ToolContext, application_id: string, { commit, without }: { commit?: string; without?: string | null }): Promise<RollbackTarget> {
  const history = await historyOf((input) => context.attempt(operations.list_application_deployments, input), application_id);
  if (!history) return context.refuse('this platform does not show the history of applications', nameCommit);
  return findRollbackTarget(history.past.filter(({ id }) => id === undefined || id !== without), commit);
}

/** Whether a deployment of an application goes back to a commit that ran before the present one. One of the newest commit never does. */
const isGoingBack: NonNullable<Tool['isDone']> = async ({ input }, reader) => {
  const { application_id, git_commit_id: commit } = input;
  if (typeof commit !== 'string') return 'no';
  const history = await historyOf((page) => reader.attempt(operations.list_application_deployments, page), String(application_id));
  if (history && isRollback(history.past, commit)) return 'yes';
  return history?.isWhole ? 'no' : 'unknown';
};

/** The commit to deploy; undefined where there is nothing to do. @throws CallFailure where there is no way back. */
function commitOf(way: RollbackTarget, context: ToolContext, wanted: string | undefined): string | undefined {
  switch (way.kind) {
    case 'found':
      return way.to.commit;
    case 'commit_not_at_fault':
      return context.refuse(`the commit that failed, ${way.from}, was deployed well before, so it is not what fails`, naming`${'diagnose_deployment'} says what changed since.`);
    case 'none':
      return wanted === undefined
        ? context.refuse('its history holds no good deployment of an older commit than the present one', nameCommit)
        : context.refuse(`its history holds no good deployment of ${wanted} from before the present commit`, way.good.length === 0 ? 'It holds none of an older commit at all.' : `Older commits that ended well, newest first: ${commitsOf(way.good)}.`);
    default:
      return undefined;
  }
}

/** Why this commit, in a sentence. */
function reasonOf(way: RollbackTarget): string | undefined {
  if (way.kind !== 'found' && way.kind !== 'already_rolled_back') return undefined;
  const [from, to] = [shortCommit(way.from), shortCommit(way.to.commit)];
  const when = way.to.startedAt === undefined ? '' : `, at ${way.to.startedAt}`;
  return way.kind === 'found'
    ? `From commit ${from} back to ${to}, the last older one that was deployed well${when}.`
    : `It was gone back already from commit ${from} to ${to}${when}. Give "commit" to go back further.`;
}

export const rollbackApplication = composeTool({
  name: 'rollback_application',
  toolset: 'services',
  description:
    'Undo a bad release: deploys the last commit again that ran well before the present one. Never goes forward: called twice it changes nothing more. ' +
    'Variables and configuration stay as they are.',
  input: {
    application: reference('application'),
    commit: DeployRequest.shape.git_commit_id.describe('An older one, to go back further.'),
    ...wait,
  },
  operations: [operations.deploy_application],
  isDone: isGoingBack,
  expand: async ({ application, commit }, context) => {
    const target = commitOf(await findWay(context, application, { commit }), context, commit);
    return target === undefined ? [] : [planOperation(operations.deploy_application, { application_id: application, git_commit_id: target })];
  },
  preview: deployment,
  output: begun.answer.extend({ why: z.string() }),
  answer: async ({ application, commit, wait: waits }, context, [answer]): Promise<JsonRecord> => {
    const subject = subjectAt(context, 'application') ?? { kind: 'application' as const, id: application };
    const why = reasonOf(await findWay(context, application, { commit, without: answer && askedFor('DEPLOY', answer).deployment }));
    if (!answer) return { outcome: 'nothing_to_do', subject: subject.path ?? application, service: application, why };
    return { ...(await afterwards(context, subject, { action: 'DEPLOY', answer, wait: waits })), ...(why !== undefined && { why }) };
  },
  render: {
    ...begun.render,
    text: (view) => {
      const why = typeof view['why'] === 'string' ? [view['why']] : [];
      return (view['outcome'] === 'nothing_to_do' ? [String(view['subject']), ...why] : [begun.render.text(view), ...why]).join('\n');
    },
  },
  next: begun.next,
});
