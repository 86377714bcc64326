import type { Act } from '../tool/tool.ts';
import type { Expansion } from './expand.ts';
import type { Target } from '../context/target.ts';

/** A request that a call makes, with what it acts on, what it carries out, and how grave it is. */
export interface AimedAct extends Act, Expansion {
  readonly target: Target;
}
