import { serviceKinds } from '../../../contract/resources/service.ts';
import { pointsAt } from '../../tool/references.ts';
import type { Tool } from '../../tool/tool.ts';
import { omit } from '../../json/values.ts';
import { possibleRisks } from './policy.ts';
import { dependsOnLocation, conditionText, holdsForTool, mayHaveLocation, type Match } from './match.ts';
import { conditionOrder, type Conditions } from './rules.ts';

const placed: readonly unknown[] = ['project', 'environment', 'alert_rule', 'service', ...serviceKinds];

/** Whether a call of a tool can be about something that has a place. */
const mayBePlaced = (tool: Tool): boolean => tool.operations.some(mayHaveLocation) || Object.values(tool.input).some((schema) => placed.includes(pointsAt(schema)));

/** Whether some call of a tool can meet conditions, by all that is known of it before it is made. */
const canMeet = (conditions: Conditions, tool: Tool, means: Match): boolean =>
  (!dependsOnLocation(conditions) || mayBePlaced(tool)) &&
  tool.operations.some((operation) => possibleRisks(operation).some((tier) => holdsForTool(conditions, { tool, operation, risk: tier }, means) !== 'no'));

const risen: readonly string[] = ['PRODUCTION', 'unknown'];

/** Whether only writes are meant where a write counts as more. */
const wantsRisenWrite = ({ tier, mode }: Conditions): boolean => tier?.every((one) => one === 'write') === true && mode?.every((one) => risen.includes(one)) === true;

/** The conditions without which the others could hold; all of them where no single one is in the way. */
function inTheWay(conditions: Conditions, tools: readonly Tool[], means: Match): Conditions {
  const others = conditionOrder.filter((name) => name !== 'tool' && conditions[name] !== undefined);
  const culprit = others.find((name) => tools.some((tool) => canMeet(omit(conditions, [name]), tool, means)));
  return omit(conditions, culprit === undefined ? ['tool'] : conditionOrder.filter((name) => name !== culprit));
}

/**
 * Why a rule, or the part of it that is about one of its tools, can never hold: its conditions exclude each other. One text
 * for each such part; none where it may hold.
 * @param tools every tool there is.
 */
export function reasonUnreachable(conditions: Conditions, tools: readonly Tool[], means: Match): string[] {
  if (wantsRisenWrite(conditions)) {
    return [`can never hold: a write counts as disruptive where ${conditionText({ mode: conditions.mode })}; write "tier: disruptive", or leave the tier out`];
  }
  return (conditions.tool ?? [undefined]).flatMap((name) => {
    const part: Conditions = name === undefined ? conditions : { ...conditions, tool: [name] };
    if (tools.some((tool) => canMeet(part, tool, means))) return [];
    const why = conditionText(inTheWay(part, tools, means));
    return [`can never hold${name === undefined ? '' : ` for ${name}`}: no call${name === undefined ? '' : ' of it'} is one where ${why}; correct ${name === undefined ? 'it' : 'the rule'}, or leave ${name ?? 'it'} out`];
  });
}
