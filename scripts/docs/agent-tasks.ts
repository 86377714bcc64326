import { building } from '../../test/slow/tasks/building.ts';
import { aboveLimits, deepestChange, deepestQuestion, limits, type Cost } from '../../test/slow/tasks/cost.ts';
import { dailyWork } from '../../test/slow/tasks/daily-work.ts';
import { everyday } from '../../test/slow/tasks/everyday.ts';
import { incidents } from '../../test/slow/tasks/incidents.ts';
import { resources } from '../../test/slow/tasks/resources.ts';
import baseline from '../../test/slow/tasks/baseline.json' with { type: 'json' };
import { code, markdownTable } from './markdown.ts';

const costs: Readonly<Record<string, Cost>> = baseline;

const groups = [
  { title: 'One failure, and daily work', tasks: dailyWork },
  { title: 'Incidents, with every failure at once', tasks: incidents },
  { title: 'Building', tasks: building },
  { title: 'Questions of every day, and administration', tasks: everyday },
  { title: 'Resources from their creation to their deletion', tasks: resources },
];

/** What of a task can be added up. */
const summed = ({ calls, requests, farRequests, largeRequests = 0, chain, bytes }: Cost): number[] => [
  calls,
  requests,
  farRequests,
  largeRequests,
  chain,
  bytes,
];

const total = (of: readonly Cost[]): number[] =>
  of.map(summed).reduce((sums, row) => sums.map((sum, place) => sum + row[place]!), [0, 0, 0, 0, 0, 0]);

const longest = (of: readonly Cost[], waitOf: (cost: Cost) => number): number => Math.max(0, ...of.map(waitOf));

/** The cells of one task or of several. */
const cells = (of: readonly Cost[]): string[] => {
  const [calls, requests, far, large, chain, bytes] = total(of);
  const waits = [deepestQuestion, deepestChange].map((waitOf) => longest(of, waitOf) || '');
  return [calls, requests, far, large || '', chain, ...waits, bytes].map(String);
};

/** The tasks that take more than anybody should have to wait for, as far as that is measured. */
function overLimits(): string {
  const all = groups.flatMap(({ tasks }) => tasks.flatMap(({ want }) => (costs[want] ? [costs[want]] : [])));
  const over = (what: ReturnType<typeof aboveLimits>[number]): number =>
    all.filter((cost) => aboveLimits(cost).includes(what)).length;
  const isMeasured = all.some(({ largeRequests }) => largeRequests !== undefined);
  const large = `, ${over('large organization')} take more than ${limits.largeRequests} in a large organization`;
  return `At most ${limits.question} requests of a question should wait for each other, and ${limits.change} of a change. Of ${all.length} tasks, ${over('question')} have a question that takes more, ${over('change')} a change${isMeasured ? large : ''}.`;
}

/** What every task took, as the baseline has it: what is above the limits, and a table for each group. */
export const agentTasks = (): string =>
  [overLimits()]
    .concat(
      groups.map(({ title, tasks }) => {
        const known = tasks.flatMap(({ want }) => (costs[want] ? [{ want, cost: costs[want] }] : []));
        return `### ${title}\n\n${markdownTable(
          ['Task', 'Tools', 'Calls', 'Requests', 'From afar', 'Large', 'In a row', 'Question', 'Change', 'Bytes'],
          [
            ...known.map(({ want, cost }) => [want, cost.tools.map(code).join(', '), ...cells([cost])]),
            [`All ${known.length}`, '', ...cells(known.map(({ cost }) => cost))],
          ],
        )}`;
      }),
    )
    .join('\n\n');
