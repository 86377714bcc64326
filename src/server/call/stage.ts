import type { Failure } from '../failure/index.ts';
import type { EndedCall } from '../output/index.ts';
import type { Call } from './call.ts';

/** One stage in the life of a call. */
export interface Stage<In extends Call, Out extends In> {
  readonly name: string;
  /** Its effect, as a sentence. */
  readonly does: string;
  /**
   * The kinds of failure with which it may end a call. Any stage that reads the platform may also fail as the platform
   * does.
   */
  readonly refuses: readonly Failure['kind'][];
  /** Whether it reads the platform. */
  readonly reads?: boolean;
  /** The reply with which it may end a call. */
  readonly replies?: string;
  /**
   * Processes the call further, or ends it.
   * @throws CallFailure of a kind that it declares; ApiError if the platform fails.
   */
  readonly run: (call: In) => Promise<Out | EndedCall>;
}

/** A stage in a list, whatever its input and output. */
export interface AnyStage extends Omit<Stage<Call, Call>, 'run'> {
  // Only the list knows that each stage gets the output of the one before.
  readonly run: (call: never) => Promise<Call | EndedCall>;
}

/** Stages in order. Each gets the output of the one before: the compiler checks this. */
export interface Stages<Out extends Call> {
  readonly list: readonly AnyStage[];
  /** The same stages, followed by one more. */
  readonly next: <Next extends Out>(stage: Stage<Out, Next>) => Stages<Next>;
  /** Runs all of them on the call, until one ends it. */
  readonly run: (call: Call) => Promise<Out | EndedCall>;
}

const hasEnded = (result: Call | EndedCall): result is EndedCall => 'reply' in result;

function after<Out extends Call>(list: readonly AnyStage[], run: Stages<Out>['run']): Stages<Out> {
  return {
    list,
    run,
    next: <Next extends Out>(stage: Stage<Out, Next>) =>
      after<Next>([...list, stage], async (call) => {
        const result = await run(call);
        if (hasEnded(result)) return result;
        call.onStage?.(stage.name);
        return stage.run(result);
      }),
  };
}

/** The start of a list of stages. */
export const startWith = <Out extends Call>(stage: Stage<Call, Out>): Stages<Out> =>
  after<Out>([stage], (call) => {
    call.onStage?.(stage.name);
    return stage.run(call);
  });
