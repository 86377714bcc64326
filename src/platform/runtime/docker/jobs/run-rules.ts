import { condition, type Condition, dataOf, isTerraformFailure } from '../../../../contract/index.ts';
import type { Task } from '../../index.ts';
import { jobSpecOf } from './job.ts';

/** How a run goes, whatever it is a run of. */
export interface RunRules {
  /** What it is, within a sentence. */
  readonly noun: string;
  /** How often it is tried again when it fails. */
  readonly retries: number;
  /** How many seconds it may take, and the member of the configuration that says so. */
  readonly limit: { readonly seconds: number; readonly member: string };
  /** Why an attempt failed, from how the engine tells it. */
  readonly cause: (why: Condition) => Condition;
}

/** What the codes mean that the script of Terraform ends with. */
const terraformCause = (why: Condition): Condition => {
  const code = dataOf(why, 'EXITED')?.code;
  return code !== undefined && isTerraformFailure(code) ? condition('TERRAFORM_STOPPED', { code }) : why;
};

/**
 * The rules of a task's run. Terraform is never tried again: what it did has to be planned anew.
 * @throws Error for a kind that has no runs
 */
export function runRulesOf(task: Pick<Task, 'service'>): RunRules {
  const { service } = task;
  if (service.kind === 'terraform')
    return {
      noun: 'Terraform',
      retries: 0,
      limit: { seconds: service.spec.timeout_sec, member: 'timeout_sec' },
      cause: terraformCause,
    };
  const { max_nb_restart: retries, max_duration_seconds: seconds } = jobSpecOf(task);
  return { noun: 'the job', retries, limit: { seconds, member: 'max_duration_seconds' }, cause: (why) => why };
}
