import * as z from 'zod';
import { allOperations, nearestName, repeated, serviceKinds, StepName } from '../../../../contract/index.ts';
import { effectNames, shapeOf } from './effects.ts';

/** The longest delay of a response, in milliseconds. */
const longestLatency = 120_000;

const required = (error: { input?: unknown }, message: string): string =>
  error.input === undefined ? 'is required' : message;

/** Suggests the known name closest to `name`, or lists all of them. */
function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? `known are: ${known.join(', ')}` : `did you mean "${near}"?`;
}

/** An enum whose error suggests the closest value. */
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, {
    error: (issue) =>
      required(
        issue,
        typeof issue.input === 'string'
          ? `"${repeated(issue.input)}" is none of its kind; ${suggestion(issue.input, values)}`
          : `must be one of ${values.join(', ')}`,
      ),
  });

const number = (least: number, most: number) => z.number().min(least).max(most);

const operationNames = allOperations.map(({ name }) => name) as [string, ...string[]];

const members = {
  /** Identifies the rule, to replace or remove it. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
      error: 'must be 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or a digit',
    }),
  effect: oneOf(effectNames),
  /** The probability that it applies to a match, from 0 to 1. */
  probability: number(0, 1).default(1),
  /** The maximum number of times that it applies; default unlimited. */
  count: z.int().min(1).max(1_000_000).optional(),

  /** Names of the operations that it applies to; default all. */
  operation: z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(oneOf(operationNames)).min(1).optional(),
  ),
  /** The delay of the response, in milliseconds. */
  latency_ms: z.int().min(0).max(longestLatency).optional(),
  /** For status_429: the seconds until a retry in its headers. */
  retry_after_seconds: z.int().min(0).max(86_400).optional(),

  /** The id or name of a service. */
  service: z.string().min(1).optional(),
  kind: oneOf(serviceKinds).optional(),
  /** The id of an environment. */
  environment: z.guid({ error: 'must be the id of an environment' }).optional(),
  step: oneOf(StepName.options as [StepName, ...StepName[]]).optional(),

  /** The id or name of a cluster. */
  cluster: z.string().min(1).optional(),
};

/** Members that every rule may have, whatever its effect. */
const commonMembers = ['name', 'effect', 'probability', 'count'];

type Issue = { readonly path: string; readonly message: string };

/** The contradictions in a well-formed rule. */
const inconsistencies = (rule: z.output<z.ZodObject<typeof members>>): Issue[] => {
  const { effect } = rule;
  const { members: effectMembers, steps } = shapeOf(effect);
  const allowed = [...commonMembers, ...effectMembers];
  const unexpected = Object.keys(rule).filter(
    (member) => rule[member as keyof typeof rule] !== undefined && !allowed.includes(member),
  );
  return [
    ...unexpected.map((path) => ({
      path,
      message: `does not go with the effect ${effect}, which takes ${effectMembers.join(', ')}`,
    })),
    ...(effect === 'latency' && rule.latency_ms === undefined
      ? [{ path: 'latency_ms', message: 'is required for the effect latency' }]
      : []),
    ...(rule.step && steps && !steps.includes(rule.step)
      ? [{ path: 'step', message: `${effect} can't happen at ${rule.step}, only at ${steps.join(', ')}` }]
      : []),
  ];
};

/** A rule that injects a fault: its effect, its targets, its probability and its count. */
export const FaultRule = z.strictObject(members).superRefine((rule, context) => {
  for (const { path, message } of inconsistencies(rule)) context.addIssue({ code: 'custom', path: [path], message });
});
export type FaultRule = z.output<typeof FaultRule>;
