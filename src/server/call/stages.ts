import { startWith } from './stage.ts';
import { makeAnswer } from './stages/answer.ts';
import { applyScope, assertToolAllowed, checkArguments, checkControls } from './stages/arguments.ts';
import { assertInScope, assertSameEnvironment, resolveNames } from './stages/names.ts';
import { assertOffered, assertUnlocked, checkNoOp, dryRun, makePlan } from './stages/plan.ts';
import { assertPermitted, assertReadable, assessRisk, expand } from './stages/risk.ts';
import { confirm, countHighRisk, recordChange, sendRequests } from './stages/send.ts';

/**
 * The life of a call, from its arguments to its answer. Nothing before `send` has an effect but to use up an agreement and
 * the limit of high-risk changes. docs/life-of-a-call.md is generated from this list.
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
  .next(checkNoOp)
  .next(assertUnlocked)
  .next(makePlan)
  .next(dryRun)
  .next(confirm)
  .next(countHighRisk)
  .next(recordChange)
  .next(sendRequests)
  .next(makeAnswer);
