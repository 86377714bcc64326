import { condition, type Condition } from '../../contract/index.ts';

/** Thrown by a runtime that knows the problem of its cluster. The message is a text for the operator. */
export class RuntimeProblem extends Error {
  override readonly name = 'RuntimeProblem';
}

/** An error whose cause is known as data. Its message is that of the condition. */
export class ConditionError extends Error {
  override readonly name: string = 'ConditionError';
  readonly condition: Condition;

  constructor(told: Condition, options?: ErrorOptions) {
    super(told.message, options);
    this.condition = told;
  }
}

/** The condition in an error; undefined if it has none. */
export const conditionBehind = (error: unknown): Condition | undefined =>
  error instanceof ConditionError ? error.condition : undefined;

/** The condition for work that failed with an error. */
export const whyFailed = (error: unknown): Condition =>
  conditionBehind(error) ?? condition('PHASE_FAILED', { said: error instanceof Error ? error.message : String(error) });

/**
 * Thrown by a runtime that can't carry out a task as requested. Nothing was changed, and the runtime has no problem.
 * The message is a text for the user who deploys.
 */
export class TaskRefused extends ConditionError {
  override readonly name = 'TaskRefused';
}

/**
 * Thrown by a runtime whose cluster is unreachable: it is unknown whether anything was carried out. The task is retried
 * until its deadline, because such outages are often short.
 */
export class RuntimeUnreachable extends Error {
  override readonly name = 'RuntimeUnreachable';
}
