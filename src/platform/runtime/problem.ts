import { condition, type Condition } from '../../contract/index.ts';

/**
 * Thrown by a runtime that knows what is wrong on its cluster. The message is in words for whoever runs the platform.
 */
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

/** What an error says as data; undefined if it has no such data. */
export const conditionBehind = (error: unknown): Condition | undefined =>
  error instanceof ConditionError ? error.condition : undefined;

/** Why work has failed that ended with an error. */
export const whyFailed = (error: unknown): Condition =>
  conditionBehind(error) ?? condition('PHASE_FAILED', { said: error instanceof Error ? error.message : String(error) });

/**
 * Thrown by a runtime that can't carry a task out as it is asked for. Nothing was changed, and nothing is wrong with
 * the runtime. The message is in words for whoever deploys.
 */
export class TaskRefused extends ConditionError {
  override readonly name = 'TaskRefused';
}
