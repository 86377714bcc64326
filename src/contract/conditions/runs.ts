import * as z from 'zod';
import { asSubject, ConditionShape, count, plainReason, reasonWith, words } from './reason.ts';

const notMadeUpFor = 'because the platform was not running then';

/** Why runs of jobs and of Terraform fail, and conditions of schedules. */
export const runReasons = {
  RUN_ATTEMPT_FAILED: reasonWith(
    { nth: count, most: count, cause: ConditionShape },
    ({ nth, most, cause }) => `Attempt ${nth} of ${most} failed: ${cause.message}`,
  ),
  RUN_FAILED: reasonWith(
    { what: words, attempts: count, cause: ConditionShape },
    ({ what, attempts, cause }) =>
      `${asSubject(what)} failed${attempts > 1 ? ` in all of its ${attempts} attempts` : ''}: ${cause.message}.`,
  ),
  RUN_LOST: reasonWith(
    { what: words, cause: ConditionShape },
    ({ what, cause }) =>
      `${asSubject(what)} failed: ${cause.message}. Whether it goes on there can't be seen, so it is not tried again: it could run twice at once.`,
  ),
  RUN_UNHEALTHY: reasonWith(
    { what: words, cause: ConditionShape },
    ({ what, cause }) => `The engine ended ${what}. ${cause.message}`,
  ),
  /** `member` is the member of the configuration with the limit. */
  TIME_LIMIT_EXCEEDED: reasonWith(
    { what: words, seconds: count, member: words },
    ({ what, seconds, member }) =>
      `${asSubject(what)} was stopped: it exceeded its time limit of ${seconds} seconds (${member}).`,
  ),
  RUN_TAKEN_AWAY: reasonWith(
    { what: words },
    ({ what }) => `The run was ended from outside: ${what} was stopped, or somebody removed it on the engine.`,
  ),
  /** `next` is the next run of the previous version, by its own schedule. */
  SCHEDULE_NOT_BEGUN: reasonWith(
    { left: z.enum(['none', 'the version before']), next: words.optional() },
    ({ left, next }) =>
      `The schedule of this version does not begin, because this deployment did not end well. ${
        left === 'none'
          ? 'No run starts by itself until a deployment of the job ends well.'
          : `The version before it goes on running by its own${next === undefined ? '' : `, the next time at ${next}`}.`
      }`,
  ),
  /** Runs that were due while none could be started; `isMore` if there are more than can be counted. */
  RUNS_MISSED: reasonWith(
    { first: words, last: words.optional(), runs: count, isMore: z.boolean() },
    ({ first, last, runs, isMore }) =>
      last === undefined && !isMore
        ? `Missed the run that was due at ${first}, ${notMadeUpFor}. It is not made up for.`
        : `Missed ${isMore ? 'more than ' : ''}${runs} runs that were due from ${first} to ${isMore ? 'now' : last}, ${notMadeUpFor}. They are not made up for.`,
  ),
  RUN_SKIPPED: reasonWith(
    { due: words, deployment: words },
    ({ due, deployment }) =>
      `Left out the run that was due at ${due}: the job is still busy with deployment ${deployment}.`,
  ),
  /** `cause` says that it may still run, and where. */
  EARLIER_RUN_MAY_GO_ON: reasonWith(
    { cause: ConditionShape },
    ({ cause }) => `An earlier run may go on beside this one, which can't be seen. ${cause.message}`,
  ),
  /** The Terraform providers might then log in elsewhere, or do something else. */
  VARIABLES_CHANGED: reasonWith({ isPlanned: z.boolean() }, ({ isPlanned }) =>
    isPlanned
      ? 'Its variables were changed after the plan was made, so that applying it could do something else than the plan shows. Nothing was changed. Make a new plan.'
      : 'Its variables were changed while the plan was made. Nothing was changed. Make it again.',
  ),
  PLAN_UNREADABLE: plainReason(
    'The plan could not be read from the log of its run. Nothing was changed. Make it again.',
  ),
};
