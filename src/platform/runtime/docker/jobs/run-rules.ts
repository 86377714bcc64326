import { condition, type Condition, dataOf, isTerraformFailure } from '../../../../contract/index.ts';
import type { Task } from '../../index.ts';
import { jobSpecOf } from './job.ts';

/** The rules of a run, of either kind. */
export interface RunRules {
  /** The noun for it within a sentence. */
  readonly noun: string;
  /** How often it is retried when it fails. */
  readonly retries: number;
  /** How many seconds it may take, and the member of the configuration that sets it. */
  readonly limit: { readonly seconds: number; readonly member: string };
  /** Converts the engine's reason of a failed attempt to the actual cause. */
  readonly cause: (why: Condition) => Condition;
}

/** Translates the exit codes of the Terraform script. */
const terraformCause = (why: Condition): Condition => {
  const code = dataOf(why, 'EXITED')?.code;
  return code !== undefined && isTerraformFailure(code) ? condition('TERRAFORM_STOPPED', { code }) : why;
};

/**
 * Returns the rules of a task's run. Terraform is never retried: after a partial run, the changes have to be planned
 * again.
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
