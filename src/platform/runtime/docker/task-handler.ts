import type { Observation, RuntimeCall, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';

/** How one operation is begun, observed and undone. */
export interface TaskHandler {
  readonly begin: (context: DockerContext, task: Task, call: RuntimeCall) => Promise<void>;
  readonly observe: (
    context: DockerContext,
    task: Task,
    cursor: string | null,
    call: RuntimeCall,
  ) => Promise<Observation>;
  readonly abandon: (context: DockerContext, task: Task, signal: AbortSignal) => Promise<void> | void;
}

/** What an operation does that has nothing to begin, or to undo. */
export const nothing = async (): Promise<void> => undefined;

/** The observation of an operation that has nothing to do. */
export const done: Observation = { outcome: 'succeeded', lines: [], cursor: '' };

/** Which part of a sequence is under way, and the cursor of that part; null before it has begun. */
interface SequenceCursor {
  readonly part: number;
  readonly cursor: string | null;
}

const readCursor = (text: string | null): SequenceCursor =>
  text === null ? { part: 0, cursor: null } : (JSON.parse(text) as SequenceCursor);
const writeCursor = (cursor: SequenceCursor): string => JSON.stringify(cursor);

/** One operation that consists of several, one after another. It fails with the first that does. */
export function inSequence(...parts: readonly [TaskHandler, ...TaskHandler[]]): TaskHandler {
  return {
    begin: parts[0].begin,
    observe: async (context, task, text, call) => {
      const { part, cursor } = readCursor(text);
      const operation = parts[part]!;
      if (text !== null && cursor === null) await operation.begin(context, task, call);
      const seen = await operation.observe(context, task, cursor, call);
      if (seen.outcome !== 'succeeded' || part === parts.length - 1)
        return { ...seen, cursor: writeCursor({ part, cursor: seen.cursor }) };
      return {
        ...seen,
        outcome: 'ongoing',
        cursor: writeCursor({ part: part + 1, cursor: null }),
        nextPollAt: context.clock.now(),
      };
    },
    // Which part has begun isn't told: those that haven't have nothing to undo.
    abandon: async (context, task, signal) => {
      for (const { abandon } of parts.toReversed()) {
        // The last one first.
        await abandon(context, task, signal);
      }
    },
  };
}
