import type { AnyOperation } from '../../contract/operation.ts';
import type { Issue } from '../tool/arguments.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import { minimumMaskedLength } from '../redaction/index.ts';
import type { Tool } from '../tool/tool.ts';
import { isRecord, omit, type JsonRecord } from '../json/values.ts';
import { allowedVariables, allowsUnattended, type Policy } from './policy/policy.ts';
import { highRisks } from './risk/risk.ts';

/** Arguments of a tool that are for this server, not for the platform. */
export interface Controls {
  /** Tell the plan and do nothing. */
  readonly dryRun: boolean;
  readonly planToken?: string;
}

const changes = ({ effect }: AnyOperation): boolean => effect !== 'read';

/** The argument whose value can be taken from this server's own environment. */
const valueMember = 'value';

const takesValue = ({ input }: Tool): boolean => Object.hasOwn(input, valueMember);

const mayBeUnattended = (policy: Policy): boolean => highRisks.some((tier) => allowsUnattended(tier, policy));

/** The controls that a tool takes under a policy, as JSON Schema. */
export function controlSchemas(tool: Tool, policy: Policy): Record<string, JsonSchema> {
  if (!changes(tool.operation)) return {};
  const variables = takesValue(tool) ? allowedVariables(policy) : [];
  return {
    dry_run: { type: 'boolean', description: 'Only plan it.' },
    ...(mayBeUnattended(policy) && { plan_token: { type: 'string', description: 'From the plan, to confirm it.' } }),
    ...(variables.length > 0 && { value_from_env: { type: 'string', enum: [...variables], description: 'Instead of value: set it unseen.' } }),
  };
}

/** Input schema of a tool with its controls. */
export function withControls(schema: JsonSchema, tool: Tool, policy: Policy): JsonSchema {
  const controls = controlSchemas(tool, policy);
  const required = schema.required?.filter((name) => !('value_from_env' in controls && name === valueMember));
  return { ...schema, properties: { ...schema.properties, ...controls }, ...(required && { required }) };
}

/** The arguments of a call taken apart. */
export interface SplitArguments {
  readonly controls: Controls;
  /** What is for the platform. */
  readonly args: unknown;
  readonly issues: readonly Issue[];
  /** The argument whose value came from this server's environment, and from which variable: nobody may see it. */
  readonly unseen?: { readonly member: string; readonly variable: string };
}

/** The value of a variable of this server's environment. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

function valueFrom(name: unknown, given: JsonRecord, policy: Policy, environment: EnvironmentVariables): { value?: string; issues: Issue[] } {
  const allowed = allowedVariables(policy);
  if (typeof name !== 'string' || !allowed.includes(name)) return { issues: [`"value_from_env" must be one of ${allowed.join(', ')}`] };
  if (given[valueMember] !== undefined) return { issues: [`give "value" or "value_from_env", not both`] };
  const value = environment[name];
  if (value === undefined) return { issues: [`"value_from_env": ${name} is allowed, but not set where this server runs`] };
  // What is shorter could not be masked where the platform sends it back.
  return value.length < minimumMaskedLength ? { issues: [`"value_from_env": what ${name} holds is too short to be kept from view`] } : { value, issues: [] };
}

/** Takes the controls out of what a caller gave. What the tool doesn't take under the policy stays in, to be told as unknown. */
export function splitControls(tool: Tool, given: unknown, policy: Policy, environment: EnvironmentVariables): SplitArguments {
  const offered = Object.keys(controlSchemas(tool, policy));
  if (!isRecord(given) || offered.length === 0) return { controls: { dryRun: false }, args: given, issues: [] };
  const { dry_run: dryRun = false, plan_token: planToken, value_from_env: variable } = given;
  const args = omit(given, offered);
  const taken = variable !== undefined && offered.includes('value_from_env') ? valueFrom(variable, given, policy, environment) : { issues: [] };
  const issues = [
    ...(typeof dryRun === 'boolean' ? [] : ['"dry_run" must be true or false']),
    ...(planToken === undefined || typeof planToken === 'string' ? [] : ['"plan_token" must be a string']),
    ...taken.issues,
  ];
  const value = 'value' in taken ? taken.value : undefined;
  return {
    controls: { dryRun: dryRun === true, ...(typeof planToken === 'string' && offered.includes('plan_token') && { planToken }) },
    args: value === undefined ? args : { ...args, [valueMember]: value },
    issues,
    ...(value !== undefined && { unseen: { member: valueMember, variable: String(variable) } }),
  };
}
