import { startWith } from '../stage.ts';
import { makeAnswer } from './answer.ts';
import { applyScope, assertToolAllowed, checkArguments, checkControls } from './arguments.ts';
import { assertInScope, assertSameEnvironment, resolveNames } from './names.ts';
import { assertOffered, assertUnlocked, checkNoOp, dryRun, makePlan, readAhead } from './plan.ts';
import { assertPermitted, assertReadable, assessRisk, expand } from './risk.ts';
import { confirm, countHighRisk, recordChange, sendRequests } from './send.ts';

/**
 * The life of a call, from its arguments to its answer. Before `send`, the only effects are to use up a confirmation
 * and the limit of high-risk changes. docs/life-of-a-call.md is generated from this list.
 */
export const stages = startWith(checkControls)
  .next(applyScope)
  .next(checkArguments)
  .next(assertToolAllowed)
  .next(resolveNames)
  .next(assertInScope)
  .next(assertSameEnvironment)
  .next(expand)
  .next(assertReadable)
  .next(assessRisk)
  .next(assertPermitted)
  .next(assertOffered)
  .next(readAhead)
  .next(checkNoOp)
  .next(assertUnlocked)
  .next(makePlan)
  .next(dryRun)
  .next(confirm)
  .next(countHighRisk)
  .next(recordChange)
  .next(sendRequests)
  .next(makeAnswer);
