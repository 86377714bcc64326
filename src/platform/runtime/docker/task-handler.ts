import type { Observation, RuntimeCall, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';

/** Starts, observes and undoes one operation. */
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

/** For an operation that has nothing to start, or to undo. */
export const nothing = async (): Promise<void> => undefined;

/** The observation returned for an operation that has nothing to do. */
export const done: Observation = { outcome: 'succeeded', lines: [], cursor: '' };

/** The part of a sequence that is under way, and its cursor; null before it has started. */
interface SequenceCursor {
  readonly part: number;
  readonly cursor: string | null;
}

const readCursor = (text: string | null): SequenceCursor =>
  text === null ? { part: 0, cursor: null } : (JSON.parse(text) as SequenceCursor);
const writeCursor = (cursor: SequenceCursor): string => JSON.stringify(cursor);

/** Combines several operations into one, in sequence. It fails with the first that fails. */
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
    // It isn't known which parts have started: those that haven't have nothing to undo.
    abandon: async (context, task, signal) => {
      for (const { abandon } of parts.toReversed()) {
        // In sequence, the last one first.
        await abandon(context, task, signal);
      }
    },
  };
}
