import * as z from 'zod';
import { effects, EnvironmentMode, type PermissionLevel } from '../../../contract/index.ts';
import { nearestName, toolsets, type Tool } from '../../tool/index.ts';
import { highRisks, type HighRisk } from '../risk/risk.ts';
import { locationIssue, type LocationKind } from './locations.ts';

const pattern =
  /^P(?:(?<weeks>\d+)W|(?:(?<days>\d+)D)?(?:T(?=\d)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?)$/;

const lengths = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;

/**
 * Milliseconds of an ISO 8601 duration of fixed length (PT8H, P2DT12H, P1W); undefined for months, years and anything
 * else.
 */
export function millisecondsOf(duration: string): number | undefined {
  const parts = pattern.exec(duration)?.groups;
  if (!parts) return undefined;
  const sum = Object.entries(lengths).reduce((total, [unit, length]) => total + Number(parts[unit] ?? 0) * length, 0);
  return sum > 0 ? sum : undefined;
}

/** One value or a list of them. */
const oneOrMore = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    (input) => (input === undefined || Array.isArray(input) ? input : [input]),
    z.array(value).min(1).optional(),
  );

const locationOf = (kind: LocationKind) =>
  z.string().superRefine((text, context) => {
    const issue = locationIssue(kind, text);
    if (issue !== undefined) context.addIssue({ code: 'custom', message: issue });
  });

/** The conditions of a rule that don't name tools. */
const locatedConditions = () => ({
  tier: oneOrMore(z.enum(effects)).describe('Risk of the call on its target: a write on production is disruptive.'),
  project: oneOrMore(locationOf('project')).describe('Names or ids of projects.'),
  environment: oneOrMore(locationOf('environment')).describe(
    'Names of environments, paths such as shop/staging, or ids.',
  ),
  mode: oneOrMore(z.enum([...EnvironmentMode.options, 'unknown'])).describe(
    "Modes of environments; `unknown` if the mode can't be read.",
  ),
});

/** The name of one of the tools. */
const toolNameAmong = (tools: readonly Tool[]) => {
  const names = tools.map(({ name }) => name);
  return z.string().superRefine((name, context) => {
    if (names.includes(name)) return;
    const near = nearestName(name, names);
    context.addIssue({
      code: 'custom',
      message: `there is no tool "${name}"${near ? `; did you mean "${near}"?` : ''}`,
    });
  });
};

/** The conditions of a rule. All given conditions have to hold; one with several values holds for any of them. */
const conditionsFor = (tools: readonly Tool[]) => ({
  name: z.string().min(1).optional().describe('Name of the rule, shown when it denies a call.'),
  tool: oneOrMore(toolNameAmong(tools)).describe('Names of tools.'),
  toolset: oneOrMore(z.enum(toolsets)).describe('Toolsets.'),
  ...locatedConditions(),
});

/** An entry of `unattended`: a tier, or a tool by its name. */
const unattendedEntry = (tools: readonly Tool[]) =>
  z.union([z.enum(highRisks), z.strictObject({ tool: toolNameAmong(tools) })], {
    error: `must be ${highRisks.join(', ')} or {tool: <name>}`,
  });

const needsOneOf = <Name extends string>(names: readonly Name[]) =>
  [
    (rule: { readonly [Each in Name]?: unknown }) => names.some((name) => rule[name] !== undefined),
    { error: `needs at least one of ${names.join(', ')}` },
  ] as const;

/** The schema of a rule about tiers and places. */
export const locatedRule = () =>
  z.strictObject(locatedConditions()).refine(...needsOneOf(['tier', 'project', 'environment', 'mode']));

const conditionNames = ['tool', 'toolset', 'tier', 'project', 'environment', 'mode'] as const;

const Duration = z
  .string()
  .refine((text) => millisecondsOf(text) !== undefined, { error: 'must be a duration such as PT8H, P2DT12H or P1W' });

const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/**
 * The schema of a policy file. Unknown keys are errors: a misspelt restriction must never be dropped.
 * @param tools the tools that rules may name.
 */
export const policyFileFor = (tools: readonly Tool[]) => {
  const conditions = conditionsFor(tools);
  const Rule = z.strictObject(conditions).refine(...needsOneOf(conditionNames));
  const TwoPersonRule = z
    .strictObject({
      ...conditions,
      approvals: z.int().min(1).max(9).optional().describe('How many operators have to agree. Default: 1.'),
      of: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('Names of the operators who may agree. Default: all who may decide there.'),
    })
    .refine(...needsOneOf(conditionNames))
    .refine(({ approvals = 1, of }) => of === undefined || new Set(of).size >= approvals, {
      error: 'approvals is more than the operators in of',
    });
  const Window = z.strictObject({
    ...conditions,
    cron: z.string().min(1).describe('Start of the freeze, as a cron expression.'),
    time_zone: z.string().min(1).describe('Time zone of the cron expression, such as Europe/Paris.'),
    duration: Duration.describe('Duration of the freeze, such as PT8H or P2DT12H.'),
  });
  const File = z.strictObject({
    read_only: z.boolean().optional().describe('Allows only reads.'),
    allow: z.array(Rule).optional().describe('If set, allows only calls that one of these rules matches.'),
    deny: z
      .array(Rule)
      .optional()
      .describe('Denies calls that one of these rules matches. Takes precedence over allow.'),
    freeze: z.array(Window).optional().describe('Times at which no changes are allowed.'),
    max_disruptive_per_hour: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Maximum number of disruptive, destructive and sensitive calls within any 60 minutes, for all processes of the data directory together. A call that carries out several such operations counts as several.',
      ),
    unattended: z
      .array(unattendedEntry(tools))
      .optional()
      .describe(
        "Tiers at which a client that can't ask its user may confirm its own plan, and tools of which it may confirm every call. Only a tool that is named covers sensitive calls, and destructive ones on production.",
      ),
    operator_only: z
      .array(z.enum(highRisks))
      .optional()
      .describe(
        "Tiers that only the operator may approve, in a terminal or on the approvals page: neither the client's form nor a plan token is accepted. The tiers of every policy that applies to a call are combined, and one part of a call at such a tier is enough.",
      ),
    two_person: z
      .array(TwoPersonRule)
      .optional()
      .describe(
        "Calls that somebody else than the caller has to agree to: one of the operators file, or several. Neither the client's form nor a plan token is accepted.",
      ),
    value_from_env: z
      .array(Variable)
      .optional()
      .describe('Environment variables of the server whose values a call can set without reading them.'),
  });
  return File.superRefine(({ unattended = [], operator_only: operatorOnly = [] }, context) => {
    for (const [index, risk] of operatorOnly.entries()) {
      if (!unattended.includes(risk)) continue;
      const message = `"${risk}" stands in unattended too, and what only the operator may agree to no caller can confirm by itself; leave it out of one of the two`;
      context.addIssue({ code: 'custom', path: ['operator_only', index], message });
    }
  });
};

type PolicyFile = z.infer<ReturnType<typeof policyFileFor>>;

/** A tool's effect or data that also comes from operations of other names, whichever tool executes them. */
export interface DeniedAction {
  readonly tool: string;
  /** Names of the operations that have this effect. */
  readonly operations: readonly string[];
  /** Whether a call of one of them is that action; absent if every call is. */
  readonly isDone?: Tool['matchesAction'];
}

/** The conditions of a rule as written in the file, and the actions of the tools that it names. */
export type Conditions = Omit<NonNullable<PolicyFile['deny']>[number], 'name'> & {
  readonly actions?: readonly DeniedAction[];
};

/** A rule and how denials refer to it. */
export interface Rule {
  readonly conditions: Conditions;
  /** Where it is set, for instance `policy.yaml, deny[0] "no nights"`. */
  readonly setBy: string;
}

/** A rule that holds during time windows. */
export interface Freeze extends Rule {
  /** When the window around `now` ends; undefined outside any window. Both in milliseconds since 1970. */
  readonly activeUntil: (now: number) => number | undefined;
}

/** The maximum number of high-risk calls in any 60 minutes, and where that is set. */
export interface Limit {
  readonly most: number;
  readonly setBy: string;
}

/** Rules of which at least one has to allow a call, and where they are set. */
export interface Allowed {
  readonly rules: readonly Conditions[];
  readonly setBy: string;
}

/** A rule about calls that operators other than the caller have to agree to. */
export interface TwoPersonRule extends Rule {
  /** How many of them have to agree. */
  readonly approvals: number;
  /** Names of those who may; default: all who may decide there. */
  readonly of?: readonly string[] | undefined;
}

/** The highest permission of a caller, and where it is set. */
interface PermissionLimit {
  readonly level: PermissionLevel;
  readonly setBy: string;
}

/** What a caller may confirm by itself where its client can't ask. */
export interface Unattended {
  readonly tiers: readonly HighRisk[];
  /** Names of tools of which it may confirm every call. */
  readonly tools: readonly string[];
}

/** One set of rules from one source. */
export interface Rules {
  /** The highest permission level; absent if there is no limit. */
  readonly permissionLimit?: PermissionLimit;
  /** Where `read_only` is set; absent if it isn't. */
  readonly readOnly?: string;
  /** If given, one of these rules has to hold for a call. */
  readonly allow?: Allowed;
  /** If given, one of these has to hold for a call in any place. Calls in none, such as reads of lists, aren't concerned. */
  readonly onlyIn?: Allowed;
  readonly deny: readonly Rule[];
  readonly freezes: readonly Freeze[];
  readonly limit?: Limit;
  readonly unattended?: Unattended | undefined;
  /** Risks that only the operator may confirm. */
  readonly operatorOnly?: readonly HighRisk[];
  readonly twoPerson?: readonly TwoPersonRule[];
  readonly valueFromEnv?: readonly string[];
}

/** Names of conditions, in the order in which texts list them. */
export const conditionOrder = conditionNames;
