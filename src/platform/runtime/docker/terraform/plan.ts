import { createMasker } from '../../../../contract/index.ts';
import type { PlannedChanges, ResolvedVariable, RuntimeLogLine, Task } from '../../index.ts';
import { isOmission } from '../observation/instance-logs.ts';
import { planMarks } from './script.ts';

/**
 * The most of a plan's text that is kept, in characters, and what is kept beyond that of lines that tell what is
 * changed. The log of its run has more.
 */
const mostCharacters = 24_000;
const mostOfTelling = 8000;

/** A line that names a resource that is changed, or counts them. Values of resources stand further to the right. */
const isTelling = (line: string): boolean => /^(?: {2}# |Plan: |No changes\.)/.test(line);

/** A plan as far as its log was read: its lines, and the digest at the end of it. */
export interface ReadPlan {
  readonly lines: readonly string[];
  readonly isShortened?: true;
  readonly digest?: string;
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** A plan with one more line. Once it is too long, it has only those lines more that whoever agrees has to see. */
function withLine(plan: ReadPlan, told: RuntimeLogLine): ReadPlan {
  const { message: line } = told;
  const length = lengthOf(plan.lines) + line.length;
  const isKept = plan.isShortened
    ? isTelling(line) && length <= mostCharacters + mostOfTelling
    : length <= mostCharacters;
  if (isKept) return { ...plan, lines: [...plan.lines, line], ...(isOmission(told) && { isShortened: true }) };
  return plan.isShortened || !isTelling(line)
    ? { ...plan, isShortened: true }
    : withLine({ ...plan, isShortened: true }, told);
}

/** Reads on in the log of a run that plans. @param before what was read until now; undefined before the plan begins */
export function readPlan(
  { deploymentId }: Pick<Task, 'deploymentId'>,
  before: ReadPlan | undefined,
  logged: readonly RuntimeLogLine[],
): ReadPlan | undefined {
  const { begin, end } = planMarks(deploymentId);
  let plan = before;
  for (const line of logged) {
    const { message } = line;
    if (message === begin) plan = { lines: [] };
    else if (message.startsWith(`${end} `)) {
      const digest = message.slice(end.length + 1);
      // Of many lines at once only the newest are read.
      plan = {
        ...(plan ?? { lines: [], isShortened: true as const }),
        ...(/^[\da-f]{64}$/.test(digest) && { digest }),
      };
    } else if (plan !== undefined && plan.digest === undefined) {
      plan = withLine(plan, line);
    }
  }
  return plan;
}

/** A secret this short is also found where it isn't meant. */
const shortestSecret = 5;

const countsIn = (text: string): PlannedChanges['counts'] => {
  if (/^No changes\./m.test(text)) return { add: 0, change: 0, destroy: 0 };
  const [, add, change, destroy] =
    /^Plan: (?:\d+ to \w+, )*?(\d+) to add, (\d+) to change, (\d+) to destroy/m.exec(text) ?? [];
  return add === undefined ? undefined : { add: Number(add), change: Number(change), destroy: Number(destroy) };
};

/**
 * What a plan shows, without the values of the service's secrets; undefined if its end was not read. Values that are
 * sensitive to Terraform it hides itself.
 */
export function plannedChanges(
  plan: ReadPlan | undefined,
  variables: readonly ResolvedVariable[],
): PlannedChanges | undefined {
  if (plan?.digest === undefined) return undefined;
  const whole = plan.lines.join('\n').trim();
  const secrets = variables
    .flatMap(({ isSecret, value }) => (isSecret ? [value, ...value.split('\n')] : []))
    .filter(({ length }) => length >= shortestSecret);
  const text = createMasker(secrets, '(secret)')(whole);
  const counts = countsIn(whole);
  return { digest: plan.digest, text, isShortened: plan.isShortened === true, ...(counts && { counts }) };
}

/** The changes of a plan in a few words. */
export const countsText = ({ counts }: PlannedChanges): string =>
  counts === undefined
    ? 'changes that its text tells'
    : `${counts.add} to add, ${counts.change} to change, ${counts.destroy} to destroy`;
