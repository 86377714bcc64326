import { building } from '../../test/slow/tasks/building.ts';
import { dailyWork } from '../../test/slow/tasks/daily-work.ts';
import { everyday } from '../../test/slow/tasks/everyday.ts';
import { incidents } from '../../test/slow/tasks/incidents.ts';
import { resources } from '../../test/slow/tasks/resources.ts';
import baseline from '../../test/slow/tasks/baseline.json' with { type: 'json' };
import { code, markdownTable } from './markdown.ts';

/** What a task took when it was measured. */
interface TaskCost {
  readonly tools: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly requests: number;
  /** The same of a platform that is far away. */
  readonly farRequests: number;
  /** The most requests that wait for each other. */
  readonly chain: number;
}

const costs: Readonly<Record<string, TaskCost>> = baseline;

const groups = [
  { title: 'One failure, and daily work', tasks: dailyWork },
  { title: 'Incidents, with every failure at once', tasks: incidents },
  { title: 'Building', tasks: building },
  { title: 'Questions of every day, and administration', tasks: everyday },
  { title: 'Resources from their creation to their deletion', tasks: resources },
];

const numbers = ({ calls, requests, farRequests, chain, bytes }: Omit<TaskCost, 'tools'>): number[] => [
  calls,
  requests,
  farRequests,
  chain,
  bytes,
];

const total = (of: readonly TaskCost[]): number[] =>
  of.map(numbers).reduce((sums, row) => sums.map((sum, place) => sum + row[place]!), [0, 0, 0, 0, 0]);

/** What every task took, as the baseline has it: a table for each group. */
export const agentTasks = (): string =>
  groups
    .map(({ title, tasks }) => {
      const known = tasks.flatMap(({ want }) => (costs[want] ? [{ want, cost: costs[want] }] : []));
      return `### ${title}\n\n${markdownTable(
        ['Task', 'Tools', 'Calls', 'Requests', 'From afar', 'In a row', 'Bytes'],
        [
          ...known.map(({ want, cost }) => [want, cost.tools.map(code).join(', '), ...numbers(cost).map(String)]),
          [`All ${known.length}`, '', ...total(known.map(({ cost }) => cost)).map(String)],
        ],
      )}`;
    })
    .join('\n\n');
