import * as z from 'zod';
import { DeploymentAction, operations, reference } from '../../src/contract/index.ts';
import { anyOf, anyService, composeTool, pick, type JsonRecord, type NextCall } from '../../src/server/tool/index.ts';
import { exactlyOne, readsByKind, readsInstead, readsOf, serviceSubject } from '../shared/any-service.ts';
import { endAnswer, endView, readsToExplain } from '../shared/deployment-end.ts';
import { awaitEarlierEnd, waitTime, wasAtRest } from '../shared/wait-for-end.ts';
import { awaitGone } from '../shared/wait-until-gone.ts';
import { awaitUpgrade, isUpgrade, upgradeReads, upgradeText } from '../shared/wait-for-upgrade.ts';

function next(view: JsonRecord, args: JsonRecord): readonly NextCall[] {
  switch (view['outcome']) {
    case 'running':
      return [{ tool: 'wait_for_deployment', arguments: args, why: 'it has not ended yet' }];
    case 'not_seen':
      return isUpgrade(view)
        ? []
        : [
            {
              tool: 'list_deployments',
              arguments: pick(args, ['service', 'environment']),
              why: 'which deployments there are',
            },
          ];
    default:
      return isUpgrade(view) ? [] : endView.next(view);
  }
}

export const waitForDeployment = composeTool({
  name: 'wait_for_deployment',
  toolset: 'services',
  title: 'Watch a deployment: when done, finished, live',
  description:
    'Wait until a deploy, rollout, restart, stop, deletion or cluster upgrade ended (done, finished): ' +
    'succeeded or failed.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    cluster: reference('cluster').optional(),
    deployment_id: z.string().optional().describe('From the deploy.'),
    action: DeploymentAction.default('DEPLOY').describe('What was asked for.'),
    seconds: waitTime,
  },
  ...exactlyOne('service', 'environment', 'cluster'),
  operations: [...readsOf('status'), operations.get_environment_status],
  reads: [
    ...anyOf(...readsByKind('status', 'the state', operations.get_environment_status)),
    ...readsInstead('status', 'the state'),
    ...readsByKind('deployments', 'the history'),
    ...readsToExplain,
    ...upgradeReads,
  ],
  output: z.object({
    subject: z.string(),
    outcome: z.string(),
    state: z.string(),
    deployment_id: z.string(),
    waited_seconds: z.int(),
    diagnosis: z.object({}),
  }),
  answer: async ({ cluster, deployment_id: deployment, action, seconds }, context) => {
    if (cluster !== undefined)
      return awaitUpgrade(context, { id: cluster, name: context.resolved['cluster']?.name }, seconds);
    const subject = serviceSubject(context);
    // Some platforms respond to a deploy with the service, whose id is easily mistaken for the deployment's.
    const known = deployment === subject.id ? undefined : deployment;
    const end =
      action === 'DELETE'
        ? await awaitGone(context, subject, seconds)
        : await awaitEarlierEnd(context, subject, { action, deployment: known, isHearsay: true }, seconds);
    const answer = await endAnswer(context, subject, end);
    return wasAtRest(end) ? { ...answer, at_rest: end.status.last_deployment_date ?? true } : answer;
  },
  render: { ...endView.render, text: (view) => (isUpgrade(view) ? upgradeText(view) : endView.render.text(view)) },
  next,
});
