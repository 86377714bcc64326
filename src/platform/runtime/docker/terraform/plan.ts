import { createMasker } from '../../../../contract/index.ts';
import type { PlannedChanges, ResolvedVariable, RuntimeLogLine, Task } from '../../index.ts';
import { isOmission } from '../observation/instance-logs.ts';
import { planMarks } from './script.ts';
import { createHmac } from 'node:crypto';
import type { DockerContext } from '../docker-context.ts';

/**
 * The limit for the text of a plan, in characters, and the additional limit for lines that name changes. The log of its
 * run has the whole text.
 */
const mostCharacters = 24_000;
const summaryCharacters = 8000;

/** Whether a line names a changed resource, or counts the changes. Values of resources are indented further. */
const isSummaryLine = (line: string): boolean => /^(?: {2}# |Plan: |No changes\.)/.test(line);

/** A plan as far as its log was read: its lines, and the digest at its end. */
export interface ReadPlan {
  readonly lines: readonly string[];
  readonly isShortened?: true;
  readonly digest?: string;
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Returns a plan with one more line. Once it is too long, only lines that are needed to approve it are added. */
function withLine(plan: ReadPlan, told: RuntimeLogLine): ReadPlan {
  const { message: line } = told;
  const length = lengthOf(plan.lines) + line.length;
  const isKept = plan.isShortened
    ? isSummaryLine(line) && length <= mostCharacters + summaryCharacters
    : length <= mostCharacters;
  if (isKept) return { ...plan, lines: [...plan.lines, line], ...(isOmission(told) && { isShortened: true }) };
  return plan.isShortened || !isSummaryLine(line)
    ? { ...plan, isShortened: true }
    : withLine({ ...plan, isShortened: true }, told);
}

/** Continues to read the log of a plan run. @param before the plan so far; undefined before it starts */
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
      // If there are many lines at once, only the newest are read.
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

/** Shorter secrets would also match unrelated text. */
const shortestSecret = 5;

const countsIn = (text: string): PlannedChanges['counts'] => {
  if (/^No changes\./m.test(text)) return { add: 0, change: 0, destroy: 0 };
  const [, add, change, destroy] =
    /^Plan: (?:\d+ to \w+, )*?(\d+) to add, (\d+) to change, (\d+) to destroy/m.exec(text) ?? [];
  return add === undefined ? undefined : { add: Number(add), change: Number(change), destroy: Number(destroy) };
};

/**
 * The part of the changes that a plan shows, without the values of the service's secrets; undefined if its end was not
 * read. Terraform itself hides values that it knows are sensitive.
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

/** The changes of a plan as a short text. */
export const countsText = ({ counts }: PlannedChanges): string =>
  counts === undefined
    ? 'changes that its text lists'
    : `${counts.add} to add, ${counts.change} to change, ${counts.destroy} to destroy`;

/**
 * Returns a digest that distinguishes the variables of a run, including files. Without the platform's key, the values
 * can't be derived from it.
 */
export const digestOfVariables = (
  { secretFor }: Pick<DockerContext, 'secretFor'>,
  variables: readonly ResolvedVariable[],
): string =>
  createHmac('sha256', secretFor('terraform/variables'))
    .update(
      JSON.stringify(variables.map(({ key, value, isSecret, mountPath = null }) => [key, value, isSecret, mountPath])),
    )
    .digest('base64url');
