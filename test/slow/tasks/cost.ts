import { tools } from '../../../tools/index.ts';

/** What a task costs. */
export interface Cost {
  readonly tools: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly requests: number;
  /** The same of a platform that is far away. */
  readonly farRequests: number;
  /** The most requests that wait for each other; measured far away, where what overlaps is no chance. */
  readonly chain: number;
  /**
   * The same for each call: until it is answered or somebody is asked to agree, and, after they agreed, until it is
   * answered.
   */
  readonly depths: readonly (readonly number[])[];
  /** The requests of the task in an organization of 200 environments and 2,000 services, of those of `largeTasks`. */
  readonly largeRequests?: number;
}

/** The most that anybody should have to wait for, and the most requests of a task in a large organization. */
export const limits = { question: 4, change: 6, largeRequests: 20 } as const;

const isQuestion = (name: string): boolean => tools.find((tool) => tool.name === name)?.operation.effect === 'read';

const deepest = ({ tools: names, depths }: Cost, which: (name: string) => boolean): number =>
  Math.max(0, ...depths.flatMap((rounds, index) => (which(names[index]!) ? rounds : [])));

/** The longest wait for a question of a task; 0 if it has none. */
export const deepestQuestion = (cost: Cost): number => deepest(cost, isQuestion);

/** The longest wait for a change of a task; 0 if it has none. */
export const deepestChange = (cost: Cost): number => deepest(cost, (name) => !isQuestion(name));

/** What of a task is above the limits. */
export const aboveLimits = (cost: Cost): readonly ('question' | 'change' | 'large organization')[] => [
  ...(deepestQuestion(cost) > limits.question ? (['question'] as const) : []),
  ...(deepestChange(cost) > limits.change ? (['change'] as const) : []),
  ...((cost.largeRequests ?? 0) > limits.largeRequests ? (['large organization'] as const) : []),
];
