import { operations } from '../../src/contract/operations.ts';
import { reference } from '../../src/contract/primitives.ts';
import { readDeployment, type HistoryItem, type PastDeployment } from '../../src/insight/history.ts';
import { act, composeTool, deployment, isRecord, type Sight } from '../../src/mcp/tool.ts';
import { afterwards, begun } from '../deployment/begun.ts';
import { wait } from '../deployment/waiting.ts';
import { subjectAt } from '../service/any-kind.ts';

const isGood = ({ action, end, commit }: PastDeployment): boolean => action === 'DEPLOY' && end === 'good' && commit !== undefined;

/** The newest good deployment whose commit is another than that of the newest one. */
async function lastGood(sight: Sight, application_id: string): Promise<PastDeployment & { commit: string }> {
  const history = await sight.attempt(operations.list_application_deployments, { application_id });
  const past = (history?.results ?? []).filter(isRecord).map((item) => readDeployment(item as HistoryItem));
  const latest = past.find(({ action }) => action === 'DEPLOY');
  const commit = latest?.commit;
  if (latest?.end === 'bad' && past.some((one) => isGood(one) && one.commit === commit)) {
    return sight.refuse(`the commit that failed, ${commit}, was deployed well before, so it is not what fails`, 'diagnose_deployment says what changed since.');
  }
  const good = past.find((one) => isGood(one) && one.commit !== commit);
  if (good?.commit === undefined) {
    return sight.refuse(
      history ? 'its history holds no good deployment of another commit than the newest' : 'this platform does not show the history of applications',
      'Name the commit yourself: deploy_application with git_commit_id.',
    );
  }
  return { ...good, commit: good.commit };
}

export const rollbackApplication = composeTool({
  name: 'rollback_application',
  toolset: 'services',
  description: 'Undo a bad release: deploys the commit of the last good deployment of an application again. Variables and configuration stay as they are.',
  input: { application: reference('application'), ...wait },
  operations: [operations.deploy_application],
  acts: async ({ application }, sight) => [act(operations.deploy_application, { application_id: application, git_commit_id: (await lastGood(sight, application)).commit })],
  preview: deployment,
  answer: begun.answer,
  answerOf: async ({ application, wait: waits }, sight, [answer = {}]) =>
    afterwards(sight, subjectAt(sight, 'application') ?? { kind: 'application', id: application }, { action: 'DEPLOY', answer, wait: waits }),
  render: begun.render,
  next: begun.next,
});
