import baseline from '../../test/slow/tasks/baseline.json' with { type: 'json' };
import { code, markdownTable } from './markdown.ts';

/** What a task took when it was measured. */
interface TaskCost {
  readonly tools: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly requests: number;
}

const costs = Object.entries<TaskCost>(baseline);

const sum = (of: (cost: TaskCost) => number): string => String(costs.reduce((total, [, cost]) => total + of(cost), 0));

/** What every task took, as the baseline has it. */
export const agentTasks = (): string =>
  markdownTable(['Task', 'Tools', 'Calls', 'Requests', 'Bytes'], [
    ...costs.map(([want, { tools, calls, requests, bytes }]) => [want, tools.map(code).join(', '), String(calls), String(requests), String(bytes)]),
    [`All ${costs.length}`, '', sum(({ calls }) => calls), sum(({ requests }) => requests), sum(({ bytes }) => bytes)],
  ]);
