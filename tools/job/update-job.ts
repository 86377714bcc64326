import { operations, scheduleKinds } from '../../src/contract/index.ts';
import { defineTool, isRecord, type JsonRecord } from '../../src/server/tool/index.ts';
import { jobFields } from '../shared/job-fields.ts';
import { serviceUpdate, withHealthchecks, withRegistryId } from '../shared/service-update.ts';

/** Converts a job to a request. */
function asRequest({ source, ...job }: JsonRecord): JsonRecord {
  const image = isRecord(source) ? source['image'] : undefined;
  return withHealthchecks({
    ...job,
    source: isRecord(source) && isRecord(image) ? { ...source, image: withRegistryId(image) } : source,
  });
}

export const updateJob = defineTool(
  operations.update_job,
  serviceUpdate(operations.update_job, {
    title: 'Change a job or cron job, move it to another time',
    description:
      'Change a job or cron job: its schedule (when it should run), image tag or git branch, command, memory, CPU, retries, longest run.',
    exclusive: ['source'],
    kinds: { schedule: scheduleKinds },
    asRequest,
    ...jobFields,
  }),
);
