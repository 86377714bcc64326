import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';
import { jobFields } from '../shared/job-fields.ts';
import { newService, serviceFields } from '../shared/service-update.ts';

export const createJob = defineTool(operations.create_job, {
  toolset: 'services',
  title: 'Schedule a job',
  description:
    'Schedule a task: add a cron job, run by the clock (every night, every hour), or a job for when its environment starts, stops or is deleted, ' +
    'from an image or a git repo; not deployed.',
  ...serviceFields({ ...jobFields, fields: { ...jobFields.fields, name: 'Unique in the environment.' } }),
  ...newService(operations.create_job),
  render: record({ first: ['name', 'id', 'job_type', 'schedule'] }),
  next: [
    'Not deployed yet: until it is, nothing runs, by the clock or otherwise.',
    naming`${'deploy_service'} deploys it: that sets its schedule, and also runs it once now unless the platform only schedules cron jobs.`,
  ],
});
