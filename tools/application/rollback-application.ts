import * as z from 'zod';
import { DeployRequest, maximumPageSize, operations, reference, type InputOf } from '../../src/contract/index.ts';
import {
  readDeployment,
  shortCommit,
  type HistoryItem,
  type PastDeployment,
  isRollback,
  findRollbackTarget,
  type CommitDeployment,
  type RollbackTarget,
} from '../../src/analysis/index.ts';
import {
  planOperation,
  anyOf,
  composeTool,
  deployment,
  recordsIn,
  naming,
  readUses,
  type JsonRecord,
  type ToolContext,
  type Tool,
} from '../../src/server/tool/index.ts';
import { afterwards, readsAfterwards, startedAnswer } from '../shared/deployment-started.ts';
import { takenAlong } from '../shared/pending-changes.ts';
import { joined } from '../shared/plan-parts.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';
import { subjectAt } from '../shared/any-service.ts';

const commitsOf = (releases: readonly CommitDeployment[]): string =>
  [...new Set(releases.map(({ commit }) => commit))].join(', ');

/**
 * Maximum number of history pages to read: the age of a commit is that of its first deployment, which may be far back.
 */
const maximumPages = 5;

interface History {
  /** Deployments, newest first. */
  readonly deployments: readonly PastDeployment[];
  /** Whether it includes the first deployment. */
  readonly isComplete: boolean;
}

/**
 * Reads the deployments of an application; undefined if the platform doesn't show them.
 * @param read reads one page of them
 */
async function readHistory(
  read: (input: InputOf<typeof operations.list_application_deployments>) => Promise<JsonRecord | undefined>,
  application_id: string,
): Promise<History | undefined> {
  const deployments: PastDeployment[] = [];
  for (let page = 1; page <= maximumPages; page += 1) {
    // A further page is only needed if the one before was full.
    const answer = await read({ application_id, page, page_size: maximumPageSize });
    if (!answer) return undefined;
    const rows = recordsIn(answer['results']);
    deployments.push(...rows.map((item) => readDeployment(item as HistoryItem)));
    // On platforms without pages, an empty page may only mean that the platform returns no more at once.
    const isCut = page > 1 && rows.length === 0 && answer['without_pages'] === true;
    if (rows.length < maximumPageSize) return { deployments, isComplete: !isCut };
  }
  return { deployments, isComplete: false };
}

const nameCommit = naming`Name the commit yourself: ${'deploy_application'} with commit.`;

/**
 * Finds the rollback target in the application's history, as it is before this call changes anything: afterwards, what
 * was read for the plan is used again.
 */
async function findTarget(context: ToolContext, application_id: string, commit?: string): Promise<RollbackTarget> {
  const history = await readHistory(
    (input) => context.before(operations.list_application_deployments, input),
    application_id,
  );
  if (!history) return context.refuse('this platform does not show the history of applications', nameCommit);
  return findRollbackTarget(history.deployments, commit);
}

/**
 * Whether a deployment is a rollback to a commit that ran before the current one. A deployment of the newest commit
 * never is.
 */
const isRollbackCall: NonNullable<Tool['matchesAction']> = async ({ input }, reader) => {
  const { application_id, git_commit_id: commit } = input;
  if (typeof commit !== 'string') return 'no';
  const history = await readHistory(
    (page) => reader.attempt(operations.list_application_deployments, page),
    String(application_id),
  );
  if (history && isRollback(history.deployments, commit)) return 'yes';
  return history?.isComplete ? 'no' : 'unknown';
};

/** The commit to deploy; undefined if there is nothing to do. @throws CallFailure if there is no rollback target. */
function commitOf(target: RollbackTarget, context: ToolContext, wanted: string | undefined): string | undefined {
  switch (target.kind) {
    case 'found':
      return target.to.commit;
    case 'commit_not_at_fault':
      return context.refuse(
        `the commit that failed, ${target.from}, was deployed well before, so it is not what fails`,
        naming`${'diagnose_deployment'} says what changed since.`,
      );
    case 'none':
      return wanted === undefined
        ? context.refuse('its history holds no good deployment of an older commit than the present one', nameCommit)
        : context.refuse(
            `its history holds no good deployment of ${wanted} from before the present commit`,
            target.good.length === 0
              ? 'It holds none of an older commit at all.'
              : `Older commits that ended well, newest first: ${commitsOf(target.good)}.`,
          );
    default:
      return undefined;
  }
}

/** Explains the choice of the commit in a sentence. */
function reasonOf(target: RollbackTarget): string | undefined {
  if (target.kind !== 'found' && target.kind !== 'already_rolled_back') return undefined;
  const [from, to] = [shortCommit(target.from), shortCommit(target.to.commit)];
  const when = target.to.startedAt === undefined ? '' : `, at ${target.to.startedAt}`;
  return target.kind === 'found'
    ? `From commit ${from} back to ${to}, the last older one that was deployed well${when}.`
    : `It was gone back already from commit ${from} to ${to}${when}. Give "commit" to go back further.`;
}

export const rollbackApplication = composeTool({
  name: 'rollback_application',
  toolset: 'services',
  title: 'Roll back, restore a previous version',
  description:
    'Roll back, revert, undo a bad release: go back one version, last good commit of an application. ' +
    'Configuration stays.',
  input: {
    application: reference('application'),
    commit: DeployRequest.shape.git_commit_id.describe('Further back.'),
    ...waitForEnd,
  },
  operations: [operations.deploy_application],
  matchesAction: isRollbackCall,
  expand: async ({ application, commit }, context) => {
    const commitId = commitOf(await findTarget(context, application, commit), context, commit);
    return commitId === undefined
      ? []
      : [planOperation(operations.deploy_application, { application_id: application, git_commit_id: commitId })];
  },
  preview: joined(deployment, takenAlong),
  reads: [
    ...anyOf(...readUses('it is not known what ran before', operations.list_application_deployments)),
    ...readsAfterwards,
  ],
  output: startedAnswer.answer.extend({ why: z.string() }),
  answer: async ({ application, commit, wait: waits }, context, [answer]): Promise<JsonRecord> => {
    const subject = subjectAt(context, 'application') ?? { kind: 'application' as const, id: application };
    const why = reasonOf(await findTarget(context, application, commit));
    if (!answer) return { outcome: 'nothing_to_do', subject: subject.path ?? application, service: application, why };
    return {
      ...(await afterwards(context, subject, { action: 'DEPLOY', answer, wait: waits })),
      ...(why !== undefined && { why }),
    };
  },
  render: {
    ...startedAnswer.render,
    text: (view) => {
      const why = typeof view['why'] === 'string' ? [view['why']] : [];
      return (
        view['outcome'] === 'nothing_to_do'
          ? [String(view['subject']), ...why]
          : [startedAnswer.render.text(view), ...why]
      ).join('\n');
    },
  },
  next: startedAnswer.next,
});
