import { mayBeProduction, serviceKinds } from '../../../contract/index.ts';
import { pointsAt, type Tool } from '../../tool/index.ts';
import { omit } from '../../json/index.ts';
import { possibleRisks } from './policy.ts';
import { dependsOnLocation, conditionText, holdsForTool, mayHaveLocation, type Match } from './match.ts';
import { highRisks, type HighRisk } from '../risk/risk.ts';
import { conditionOrder, type Conditions } from './rules.ts';

const locatedKinds: readonly unknown[] = ['project', 'environment', 'alert_rule', 'service', ...serviceKinds];

/** Whether a call of a tool can concern a resource that has a location. */
const mayBeLocated = (tool: Tool): boolean =>
  tool.operations.some(mayHaveLocation) ||
  Object.values(tool.input).some((schema) => locatedKinds.includes(pointsAt(schema)));

/** Whether some call of a tool can meet conditions, as far as that is known before a call. */
const canMeet = (conditions: Conditions, tool: Tool, match: Match): boolean =>
  (!dependsOnLocation(conditions) || mayBeLocated(tool)) &&
  tool.operations.some((operation) =>
    possibleRisks(operation).some((risk) => holdsForTool(conditions, { tool, operation, risk }, match) !== 'no'),
  );

/** Whether conditions require the tier `write` only, in modes where a write counts as disruptive. */
const wantsRaisedWrite = ({ tier, mode }: Conditions): boolean =>
  tier?.every((one) => one === 'write') === true && mode?.every(mayBeProduction) === true;

/** The condition without which the others could hold; all of them if no single one is the cause. */
function conflictingConditions(conditions: Conditions, tools: readonly Tool[], match: Match): Conditions {
  const others = conditionOrder.filter((name) => name !== 'tool' && conditions[name] !== undefined);
  const culprit = others.find((name) => tools.some((tool) => canMeet(omit(conditions, [name]), tool, match)));
  return omit(conditions, culprit === undefined ? ['tool'] : conditionOrder.filter((name) => name !== culprit));
}

/**
 * Why a rule can never hold, because its conditions exclude each other. A rule that names tools is checked for each of
 * them. Returns one text for each that fails, none if the rule may hold.
 * @param tools all tools.
 */
export function reasonUnreachable(conditions: Conditions, tools: readonly Tool[], match: Match): string[] {
  if (wantsRaisedWrite(conditions)) {
    return [
      `can never hold: a write counts as disruptive where ${conditionText({ mode: conditions.mode })}; write "tier: disruptive", or leave the tier out`,
    ];
  }
  return (conditions.tool ?? [undefined]).flatMap((name) => {
    const part: Conditions = name === undefined ? conditions : { ...conditions, tool: [name] };
    if (tools.some((tool) => canMeet(part, tool, match))) return [];
    const why = conditionText(conflictingConditions(part, tools, match));
    return [
      `can never hold${name === undefined ? '' : ` for ${name}`}: no call${name === undefined ? '' : ' of it'} is one where ${why}; correct ${name === undefined ? 'it' : 'the rule'}, or leave ${name ?? 'it'} out`,
    ];
  });
}

/**
 * Why naming a tool in `unattended` can have no effect; undefined if it may have one.
 * @param operatorOnly the tiers that are left to the operator.
 */
export function reasonIdle(
  name: string,
  operatorOnly: readonly HighRisk[] = [],
  tools: readonly Tool[],
): string | undefined {
  const isPossible = (tier: HighRisk): boolean =>
    tools.some((tool) => canMeet({ tool: [name], tier: [tier] }, tool, 'tool'));
  const possible = highRisks.filter(isPossible);
  if (possible.length === 0) return `has no effect: no call of ${name} needs agreement; leave it out`;
  return possible.every((tier) => operatorOnly.includes(tier))
    ? `has no effect: operator_only leaves every call of ${name} to the operator; leave one of the two out`
    : undefined;
}
