import { fail } from '../../failure/index.ts';
import { assertAllowed, fillInScope } from '../../guard/index.ts';
import { issuesOf, lenientArguments, toolArgumentSchema } from '../../tool/index.ts';
import type { Call } from '../call.ts';
import type { Stage } from '../stage.ts';

type ArgumentStage = Stage<Call, Call>;

/** Refuses arguments that are too large to check, and invalid controls such as `dry_run`. */
export const checkControls: ArgumentStage = {
  name: 'check controls',
  does: 'Refuses arguments that are too large to check, an argument given twice under different names with different values, and wrong values of dry_run, plan_token and value_from_env. Takes null for absent, JSON text for its value and "5" for 5 where nothing else can be meant, and 5 for "5" where the value of a variable is.',
  refuses: ['bad_arguments'],
  run: async (call) => {
    if (call.issues.length > 0) return fail({ kind: 'bad_arguments', issues: call.issues });
    const args = lenientArguments(call.tool, call.args);
    // Secrets inside JSON text are known only now.
    call.redactor.mention(args, toolArgumentSchema(call.tool));
    return { ...call, args };
  },
};

/** Fills in the project and environment to which the operator restricts calls. */
export const applyScope: ArgumentStage = {
  name: 'apply scope',
  does: 'Fills in the project or environment that the operator keeps every call to.',
  refuses: ['not_possible'],
  reads: true,
  run: async (call) => ({ ...call, args: await fillInScope(call) }),
};

/** Checks the arguments against the tool's schema and its rules across members. */
export const checkArguments: ArgumentStage = {
  name: 'check arguments',
  does: 'Checks the arguments against the schema of the tool and its rules across members. Refuses control characters other than line feed and tab, except in values of variables and contents of files.',
  refuses: ['bad_arguments'],
  run: async (call) => {
    const issues = issuesOf(call.tool, call.args);
    return issues.length > 0 ? fail({ kind: 'bad_arguments', issues }) : call;
  },
};

/** Refuses a tool that the policy forbids whatever its target. */
export const assertToolAllowed: ArgumentStage = {
  name: 'assert tool allowed',
  does: 'Refuses a tool that the policy forbids whatever it acts on: read-only mode, permissions, rules without a place.',
  refuses: ['denied'],
  run: async (call) => {
    assertAllowed(call);
    return call;
  },
};
