import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listJobDeployments = defineTool(operations.list_job_deployments, {
  toolset: 'services',
  title: 'Runs of a job: did it succeed?',
  description:
    'Did a job run, when was its last run, did it work? The runs of a job or cron job: when, how long, which ' +
    'version. Newest first.',
  render: table('deployment', [
    'status',
    'auditing_data.created_at',
    'total_duration',
    'auditing_data.triggered_by',
    'auditing_data.origin',
    'status_details.action',
    'details.commit.git_commit_id',
    'details.commit.message',
    'details.image.image_name',
    'details.image.tag',
    'identifier.execution_id',
    'identifier.name',
  ]),
});
