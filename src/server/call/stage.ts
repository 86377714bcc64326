import type { Failure } from '../failure/index.ts';
import type { EndedCall } from '../output/index.ts';
import type { Call } from './call.ts';

/** One stage in the life of a call. */
export interface Stage<In extends Call, Out extends In> {
  readonly name: string;
  /** What it does, in a sentence. */
  readonly does: string;
  /**
   * The kinds of failure that it may end a call with. Any stage that reads the platform may fail as the platform does
   * too.
   */
  readonly refuses: readonly Failure['kind'][];
  /** Whether it reads the platform. */
  readonly reads?: boolean;
  /** What else it may end a call with. */
  readonly replies?: string;
  /**
   * Takes the call a step further, or ends it.
   * @throws CallFailure of a kind that it declares; ApiError as the platform fails.
   */
  readonly run: (call: In) => Promise<Out | EndedCall>;
}

/** A stage in a list, whatever it takes and gives. */
export interface AnyStage extends Omit<Stage<Call, Call>, 'run'> {
  // Only the list knows that each stage gets what the one before gives.
  readonly run: (call: never) => Promise<Call | EndedCall>;
}

/** Stages in their order. Each gets what the one before gives: the compiler holds that. */
export interface Stages<Out extends Call> {
  readonly list: readonly AnyStage[];
  /** The same stages and one more. */
  readonly next: <Next extends Out>(stage: Stage<Out, Next>) => Stages<Next>;
  /** Takes a call through all of them, until one ends it. */
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

/** The beginning of a list of stages. */
export const startWith = <Out extends Call>(stage: Stage<Call, Out>): Stages<Out> =>
  after<Out>([stage], (call) => {
    call.onStage?.(stage.name);
    return stage.run(call);
  });
