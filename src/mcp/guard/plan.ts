import { snakeCase } from '../../contract/operation.ts';
import { clean } from '../fence.ts';
import type { Redactor } from '../redact.ts';
import { argumentSchema } from '../schema.ts';
import type { Tool } from '../tool.ts';
import { mapStrings, omit, type JsonRecord } from '../values.ts';
import type { Target } from './target.ts';
import type { Tier } from './tier.ts';

/** What a call would do, told before it does it. */
export interface Plan {
  readonly tool: string;
  readonly tier: Tier;
  readonly target: Target;
  /** What the operation does, in one sentence. */
  readonly summary: string;
  /** What the tool knows beyond that, one line each. */
  readonly details: readonly string[];
  /** What would be sent, beside the target's id. */
  readonly settings: JsonRecord;
}

/** The plan of a call from its operation, its target and its arguments. */
export function planOf(tool: Tool, args: JsonRecord, target: Target, tier: Tier): Plan {
  const { operation } = tool;
  const targetId = operation.params.slice(0, 1).map(snakeCase);
  return { tool: tool.name, tier, target, summary: operation.summary, details: tool.plan(args), settings: omit(args, targetId) };
}

/** A plan that may be shown: secrets masked, text from the platform cleaned. */
export function protectPlan(plan: Plan, tool: Tool, redactor: Redactor): Plan {
  const settings = redactor.value(plan.settings, argumentSchema(tool.operation));
  const shown = (value: unknown): unknown => mapStrings(value, (text) => clean(redactor.text(text)));
  return { ...plan, settings: shown(settings) as JsonRecord, target: shown(plan.target) as Target, details: shown(plan.details) as string[] };
}

const longestSetting = 200;

// One line each, so that no value can pass for a line of ours.
const oneLine = (value: unknown): string => (typeof value === 'string' && !value.includes('\n') ? value : JSON.stringify(value));

const setting = ([name, value]: [string, unknown]): string => {
  const text = oneLine(value);
  return `${name}: ${text.length > longestSetting ? `${text.slice(0, longestSetting)}…` : text}`;
};

const modeText: Record<Target['mode'], string> = {
  DEVELOPMENT: ', DEVELOPMENT',
  STAGING: ', STAGING',
  PRODUCTION: ', PRODUCTION',
  unknown: ', of an environment whose mode could not be determined',
  none: '',
};

const targetText = ({ kind, id, name, environment, mode }: Target): string => {
  const called = name === undefined ? '' : ` "${oneLine(name)}"`;
  const where = kind === 'environment' || environment?.name === undefined ? '' : ` in environment "${oneLine(environment.name)}"`;
  const known = id === undefined ? '' : ` (id ${id})`;
  return `${kind.replaceAll('_', ' ')}${called}${where}${modeText[mode]}${known}`;
};

/** A protected plan in words, one fact a line. */
export const planText = (plan: Plan): string =>
  [plan.summary, `On: ${targetText(plan.target)}`, ...Object.entries(plan.settings).map(setting), ...plan.details].join('\n');
