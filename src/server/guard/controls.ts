import * as z from 'zod';
import { minimumMaskedLength, type AnyOperation } from '../../contract/index.ts';
import { lenientMembers, type Issue, type Tool } from '../tool/index.ts';
import { isRecord, omit, pick, type JsonRecord, type JsonSchema } from '../json/index.ts';
import { allowedVariables, allowsUnattended, type Policy } from './policy/policy.ts';
import { highRisks } from './risk/risk.ts';

/** Arguments of a tool call that this server handles itself and doesn't send to the platform. */
export interface Controls {
  /** Return the plan without executing it. */
  readonly dryRun: boolean;
  readonly planToken?: string;
}

const changes = ({ effect }: AnyOperation): boolean => effect !== 'read';

/** The argument whose value can come from one of this server's environment variables. */
const valueMember = 'value';

const takesValue = ({ input }: Tool): boolean => Object.hasOwn(input, valueMember);

const mayBeUnattended = ({ name }: Tool, policy: Policy): boolean =>
  highRisks.some((risk) => allowsUnattended({ tool: name, risk }, policy));

/** JSON Schemas of the controls that a tool accepts under a policy, by name. */
export function controlSchemas(tool: Tool, policy: Policy): Record<string, JsonSchema> {
  if (!changes(tool.operation)) return {};
  const variables = takesValue(tool) ? allowedVariables(policy) : [];
  return {
    dry_run: { type: 'boolean', description: 'Plan only.' },
    ...(mayBeUnattended(tool, policy) && {
      plan_token: { type: 'string', description: 'From the plan, to confirm it.' },
    }),
    ...(variables.length > 0 && {
      value_from_env: { type: 'string', enum: [...variables], description: 'Instead of value: set it unseen.' },
    }),
  };
}

/** A tool's input schema with its controls added. `value` isn't required if it can be given as `value_from_env`. */
export function withControls(schema: JsonSchema, tool: Tool, policy: Policy): JsonSchema {
  const controls = controlSchemas(tool, policy);
  const required = schema.required?.filter((name) => !('value_from_env' in controls && name === valueMember));
  return { ...schema, properties: { ...schema.properties, ...controls }, ...(required && { required }) };
}

/** The controls as validation reads them. JSON text is read as in other arguments. */
const controlShape = {
  dry_run: z.boolean().optional(),
  plan_token: z.string().optional(),
  value_from_env: z.string().optional(),
};

/** The arguments of a call, split into controls and arguments for the platform. */
export interface SplitArguments {
  readonly controls: Controls;
  /** The arguments for the platform. */
  readonly args: unknown;
  readonly issues: readonly Issue[];
  /**
   * The argument whose value came from an environment variable of this server, and which variable. The value must never
   * be shown.
   */
  readonly valueFromEnv?: { readonly member: string; readonly variable: string };
}

/** Environment variables of this server, by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

function valueFrom(
  name: unknown,
  callArguments: JsonRecord,
  policy: Policy,
  environment: EnvironmentVariables,
): { value?: string; issues: Issue[] } {
  const allowed = allowedVariables(policy);
  if (typeof name !== 'string' || !allowed.includes(name))
    return { issues: [`"value_from_env" must be one of ${allowed.join(', ')}`] };
  if (callArguments[valueMember] !== undefined) return { issues: [`give "value" or "value_from_env", not both`] };
  const value = environment[name];
  if (value === undefined)
    return { issues: [`"value_from_env": ${name} is allowed, but not set where this server runs`] };
  // A shorter value can't be masked if the platform sends it back.
  return value.length < minimumMaskedLength
    ? { issues: [`"value_from_env": what ${name} holds is too short to be kept from view`] }
    : { value, issues: [] };
}

/**
 * Splits the arguments of a call. Controls that the tool doesn't accept under this policy stay among the arguments,
 * where validation reports them as unknown.
 */
export function splitControls(
  tool: Tool,
  callArguments: unknown,
  policy: Policy,
  environment: EnvironmentVariables,
): SplitArguments {
  const offered = Object.keys(controlSchemas(tool, policy));
  if (!isRecord(callArguments) || offered.length === 0)
    return { controls: { dryRun: false }, args: callArguments, issues: [] };
  const {
    dry_run: dryRun = false,
    plan_token: planToken,
    value_from_env: variable,
  } = lenientMembers(controlShape, pick(callArguments, offered));
  const args = omit(callArguments, offered);
  const fromEnvironment =
    variable !== undefined && offered.includes('value_from_env')
      ? valueFrom(variable, callArguments, policy, environment)
      : { issues: [] };
  const issues = [
    // Null elsewhere means that an argument is not given. Here that would carry out what was only to be planned.
    ...(typeof dryRun === 'boolean' && callArguments['dry_run'] !== null ? [] : ['"dry_run" must be true or false']),
    ...(planToken === undefined || typeof planToken === 'string' ? [] : ['"plan_token" must be a string']),
    ...fromEnvironment.issues,
  ];
  const value = 'value' in fromEnvironment ? fromEnvironment.value : undefined;
  return {
    controls: {
      dryRun: dryRun === true,
      ...(typeof planToken === 'string' && offered.includes('plan_token') && { planToken }),
    },
    args: value === undefined ? args : { ...args, [valueMember]: value },
    issues,
    ...(value !== undefined && { valueFromEnv: { member: valueMember, variable: String(variable) } }),
  };
}
