import { operations } from '../../../contract/index.ts';
import { isRecord, recordsIn, type JsonRecord } from '../../json/index.ts';
import type { Reader } from '../../context/index.ts';
import { readUses } from '../reads.ts';
import { show, textOf, type PlanLine } from './preview.ts';

/** The reads that show the plan of a Terraform service. */
export const terraformPlanReads = readUses(
  'the plan does not show what Terraform changes',
  operations.list_terraform_plans,
);

/** Maximum number of lines of a plan that are shown for confirmation. The call that created it shows more. */
const mostLines = 40;

/** The known facts about the plans of a Terraform service. */
interface Planned {
  /** The newest; undefined if there is none, or if that can't be read. */
  readonly plan?: JsonRecord | undefined;
  /** Whether a deployment is refused without a plan that it can apply. */
  readonly needsPlan: boolean;
}

async function plannedOf(id: string | undefined, { attempt }: Pick<Reader, 'attempt'>): Promise<Planned> {
  const answer: JsonRecord | undefined =
    id === undefined ? undefined : await attempt(operations.list_terraform_plans, { terraform_id: id });
  return { plan: recordsIn(answer?.['results'])[0], needsPlan: answer?.['needs_plan'] === true };
}

const countText = (plan: JsonRecord): string =>
  (['to_add', 'to_change', 'to_destroy'] as const)
    .map((name) =>
      typeof plan[name] === 'number'
        ? `${plan[name]} ${name.replace('_', ' ')}`
        : `how many ${name.replace('_', ' ')} it does not tell`,
    )
    .join(', ');

const commitOf = ({ commit }: JsonRecord): string | undefined =>
  isRecord(commit) ? textOf(commit, 'git_commit_id') : undefined;

/** The effect of a deployment that creates its own plan. */
const drift = 'plans and applies: what drifted is changed back, in the cloud account too';

/** The effect of a deployment that needs a plan, if there is none that it could apply. */
const refusal = 'changes nothing: the platform refuses to deploy it without a plan that can be applied';

/** The effect of deploying a Terraform service, from its newest plan, as a sentence without a subject and full stop. */
function effectText({ plan, needsPlan }: Planned): string {
  if (plan === undefined) return needsPlan ? `${refusal}, and none was made` : drift;
  const obstacle = textOf(plan, 'obstacle');
  if (obstacle !== undefined)
    return `${needsPlan ? refusal : drift}. Of its newest plan, ${show(plan['id'])}, the platform says: ${show(obstacle).replace(/\.$/, '')}`;
  // The digest is that of the file to apply: the confirmation isn't valid for another one.
  return `applies the plan ${show(plan['id'])} of commit ${show(commitOf(plan) ?? 'unknown')}, and nothing else: ${countText(plan)} (SHA-256 ${show(textOf(plan, 'digest') ?? 'unknown')})`;
}

/** The same in short form. */
export const terraformEffect = async (id: string, reader: Pick<Reader, 'attempt'>): Promise<string> =>
  `Terraform ${effectText(await plannedOf(id, reader))}`;

/**
 * If there are too many lines, those that name the changed resources, which are indented less than the values of
 * resources.
 */
function shownLines(text: string): readonly string[] {
  const all = text.split('\n').filter((line) => line.trim() !== '');
  if (all.length <= mostLines) return all;
  const named = all.filter((line) => /^ {2}# /.test(line));
  return named
    .toSorted((one, other) => Number(/destroyed|replaced/.test(other)) - Number(/destroyed|replaced/.test(one)))
    .slice(0, mostLines);
}

/** The changes by a deployment of a Terraform service. */
export interface TerraformChange {
  readonly lines: readonly PlanLine[];
  /**
   * Whether the platform reports which plan is applied, or that there is none: on other platforms a deployment creates
   * its own.
   */
  readonly isKnown: boolean;
  /** Whether the platform refuses to deploy it, because it has no plan. */
  readonly isRefused: boolean;
  /** The commit of the plan that it applies; undefined if it creates its own plan. */
  readonly commit?: string | undefined;
}

/**
 * The changes by a deployment of a Terraform service, as its newest plan shows them. Lines of the plan are always in
 * quotation marks, so that they can't be mistaken for text of this server.
 */
export async function terraformChange(
  id: string | undefined,
  reader: Pick<Reader, 'attempt'>,
  subject = 'Terraform',
): Promise<TerraformChange> {
  const planned = await plannedOf(id, reader);
  const { plan, needsPlan } = planned;
  const lines: PlanLine[] = [`${subject} ${effectText(planned)}.`];
  if (plan === undefined || textOf(plan, 'obstacle') !== undefined)
    return { lines, isKnown: plan !== undefined || needsPlan, isRefused: needsPlan };
  const text = textOf(plan, 'text') ?? '';
  const shown = shownLines(text);
  const isWhole =
    plan['is_shortened'] !== true && shown.length === text.split('\n').filter((line) => line.trim() !== '').length;
  const more = isWhole ? [] : ['This is a part of the plan: the log of the run that made it has more.'];
  return {
    lines: [...lines, ...shown.map((line) => `Plan: ${JSON.stringify(line)}`), ...more],
    isKnown: true,
    isRefused: false,
    commit: commitOf(plan),
  };
}

/**
 * The changes for each of several Terraform services, if the platform has plans: their other effects are reported
 * elsewhere.
 */
export const terraformChanges = async (
  ids: readonly string[],
  reader: Pick<Reader, 'attempt'>,
): Promise<readonly PlanLine[]> =>
  (await Promise.all(ids.map(async (id) => terraformChange(id, reader, `Terraform of ${id}`)))).flatMap(
    ({ isKnown, lines }) => (isKnown ? lines : []),
  );
