import type { CauseCode, Confidence } from '../../../src/analysis/diagnosis/diagnosis.ts';
import type { Condition, Reason, ServiceKind } from '../../../src/contract/index.ts';

/** Where people find a condition: with a line of a log, among what is told of what runs, or in another answer. */
type Place = 'log' | 'status' | 'answer';

type Made = Condition | readonly Condition[] | undefined;

/** A condition that is made by what makes it in the platform. */
export interface MadeCondition {
  readonly reason: Reason;
  readonly place: Place;
  /** What the diagnosis says of it; absent where no rule reads it, and it is only shown. */
  readonly code?: CauseCode;
  /** How sure the diagnosis is of that. Default: high. */
  readonly confidence?: Confidence;
  /** Of a service of this kind. Default: a container. */
  readonly kind?: ServiceKind;
  /** The condition, or another one that it caused; after what is told before it. */
  readonly make: () => Promise<Made> | Made;
}

type Make = MadeCondition['make'];
type More = Pick<MadeCondition, 'confidence' | 'kind'>;

/** A condition by which the diagnosis finds a cause. */
export const read = (
  reason: Reason,
  place: 'log' | 'status',
  code: CauseCode,
  make: Make,
  more: More = {},
): MadeCondition => ({ reason, place, code, make, ...more });

/** A condition that no rule reads: it is shown as it is. */
export const shown = (reason: Reason, place: Place, make: Make): MadeCondition => ({ reason, place, make });
