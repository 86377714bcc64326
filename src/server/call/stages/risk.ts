import { targetAndTouchedNow } from '../../context/index.ts';
import { fail } from '../../failure/index.ts';
import { assertOperationsPermitted, assertSubjectsPermitted, assessOperations } from '../../guard/index.ts';
import { argumentSchema, issuesOfPlanned, partSentBack } from '../../tool/index.ts';
import type { AssessedCall, Call, ExpandedCall } from '../call.ts';
import { readSubjectsAhead } from '../read-ahead.ts';
import type { Stage } from '../stage.ts';
import { assertNamesCurrent } from './names.ts';
import { toolContextOf } from '../tool-context.ts';

/** Turns the arguments into the requests that would be sent. */
export const expand: Stage<Call, ExpandedCall> = {
  name: 'expand',
  does: 'Turns the arguments into the requests that would be made. Values they hold that may be secrets are hidden from here on.',
  refuses: ['bad_arguments', 'denied', 'not_possible'],
  reads: true,
  run: async (call) => {
    const { tool, args, redactor } = call;
    readSubjectsAhead(call);
    const planned = tool.expand ? await tool.expand(args, toolContextOf(call, { shown: false }).toolContext) : [];
    const issues = planned.flatMap(issuesOfPlanned);
    if (issues.length > 0) fail({ kind: 'bad_arguments', issues });
    for (const { operation, input, carried, present, given } of planned) {
      redactor.mention(
        { ...carried, ...input },
        argumentSchema(operation),
        partSentBack({ ...carried, ...input }, { ...present, ...carried }, given),
      );
    }
    return { ...call, planned };
  },
};

/** For tools that only read: refuses targets that the policy hides. */
export const assertReadable: Stage<ExpandedCall, ExpandedCall> = {
  name: 'assert readable',
  does: 'For tools that only read: refuses arguments that point at what the policy keeps from being read.',
  refuses: ['denied'],
  reads: true,
  run: async (call) => {
    if (!call.tool.expand) await assertSubjectsPermitted(call);
    return call;
  },
};

/** Determines the target of each request, and its risk. */
export const assessRisk: Stage<ExpandedCall, AssessedCall> = {
  name: 'assess risk',
  does: 'Finds out what each request acts on, which other changes it carries out, and the risk of all of it. If a target was renamed since its name was looked up, the call starts over, and reads the lists again.',
  refuses: [],
  reads: true,
  run: async (call) => {
    const assessed = await assessOperations(call, call.planned);
    const {
      target: { kind, id, mode },
      risk,
      operations,
    } = assessed;
    assertNamesCurrent(
      call,
      operations.flatMap((one) => targetAndTouchedNow(one.target)),
    );
    // Names are recorded with the plan, once they have been protected.
    call.note({ tier: risk, target: { kind, id, mode } });
    return { ...call, ...assessed };
  },
};

/** Refuses changes of this target that the policy forbids. */
export const assertPermitted: Stage<AssessedCall, AssessedCall> = {
  name: 'assert permitted',
  does: 'Refuses what the policy forbids: rules about the place, the mode or the risk, freezes, the scope, the limit of high-risk changes.',
  refuses: ['denied'],
  reads: true,
  run: async (call) => {
    await assertOperationsPermitted(call);
    // Only now, because a call that is refused leaves nothing behind.
    call.redactor.remember();
    return call;
  },
};
