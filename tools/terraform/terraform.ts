import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  readUses,
  record,
  recordsIn,
  type JsonRecord,
  type ToolContext,
  serviceDeployment,
} from '../../src/server/tool/index.ts';
import { isOver, longestWait, pollInterval } from '../shared/wait-for-end.ts';
import { startMoment } from '../shared/deployment-started.ts';

const isMade = ({ ended_at: ended }: JsonRecord): boolean => ended !== undefined;

/** Waits until a plan is finished. @returns the plan as it is then, or when the wait is over */
async function untilMade(context: ToolContext, terraform_id: string, asked: JsonRecord): Promise<JsonRecord> {
  const startedAt = context.now();
  for (let plan = asked; ;) {
    if (isMade(plan) || isOver(context, startedAt, longestWait)) return plan;
    const elapsed = context.now() - startedAt;
    context.progress(`${String(plan['status'])}, ${Math.round(elapsed / 1000)} s`);
    context.forget();
    // Each check decides whether there is another one.
    await context.pause(Math.min(pollInterval(elapsed, context), longestWait * 1000 - elapsed));
    const listed: JsonRecord | undefined = await context.attempt(operations.list_terraform_plans, { terraform_id });
    const found = recordsIn(listed?.['results']).find(({ id }) => id === asked['id']);
    if (found === undefined) return plan;
    plan = found;
  }
}

export const planTerraform = defineTool(operations.plan_terraform, {
  toolset: 'services',
  title: 'Terraform plan: preview of changes',
  description:
    'Preview (plan) of a Terraform service: resources a deployment would add, change, destroy; changes nothing.',
  plan: () => [
    'Terraform reads what is there, with its credentials, and runs the providers of its repository. It ' +
      'applies nothing.',
  ],
  reads: readUses('the plan can not be shown, only that it is made', operations.list_terraform_plans),
  answer: (args, context, [asked = {}]) => untilMade(context, String(args['terraform_id']), asked),
  render: record({
    first: ['status', 'to_add', 'to_change', 'to_destroy', 'reason', 'obstacle', 'text'],
    omitted: ['condition'],
  }),
  next: (plan, { terraform_id: terraform }) =>
    plan['status'] === 'ERROR'
      ? [{ tool: 'diagnose_deployment', arguments: { service: terraform }, why: 'what its log says' }]
      : [
          {
            tool: 'redeploy_terraform',
            arguments: { terraform_id: terraform },
            why: isMade(plan)
              ? 'applies this plan, once somebody agrees'
              : 'shows the plan when it is made; with dry_run it only shows',
          },
        ],
});

export const redeployTerraform = defineTool(operations.redeploy_terraform, {
  toolset: 'services',
  title: 'Terraform apply',
  description: 'Apply or run a Terraform service again: its newest plan, or a new one.',
  preview: serviceDeployment,
  ...startMoment('DEPLOY', 'terraform_id'),
});
