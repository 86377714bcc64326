import type { RuntimeOperation, Task } from '../../index.ts';
import { imageUnlessRecorded } from '../jobs/job-operations.ts';
import { lastRun, runToEnd } from '../jobs/job-run.ts';
import { serviceRemoval } from '../services/take-down.ts';
import { done, inSequence, nothing, type TaskHandler } from '../task-handler.ts';
import { versionShown } from '../version.ts';

const tells = (message: (task: Task) => string): TaskHandler => ({
  begin: nothing,
  observe: async ({ clock }, task) => ({ ...done, lines: [{ at: clock.now(), message: message(task), pod: 'terraform', version: versionShown(task) }] }),
  abandon: nothing,
});

/** What the operations are for Terraform: a run plans, or applies the plan that its record has; the last one destroys what the service has made. */
export const terraformOperations: Readonly<Partial<Record<RuntimeOperation, TaskHandler>>> = {
  run: inSequence(imageUnlessRecorded, runToEnd),
  restart: tells(({ service }) => `Nothing of ${service.name} runs that could be restarted.`),
  stop: tells(({ service }) => `Nothing of ${service.name} is stopped: what Terraform has made stays.`),
  remove: inSequence(lastRun, serviceRemoval),
};
