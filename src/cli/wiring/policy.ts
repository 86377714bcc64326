import { optionHelp, type Config } from '../config/read-config.ts';
import type { Pin } from '../../server/guard/pin.ts';
import type { Policy } from '../../server/guard/policy.ts';
import type { Rules } from '../../server/guard/policy/rules.ts';

const envOf = (option: 'maxDisruptivePerHour' | 'project' | 'environment'): string => optionHelp.find(({ name }) => name === option)!.env;

/** The rules that options set. */
const rulesOfOptions = ({ maxDisruptivePerHour: most }: Config): Rules[] =>
  most === undefined ? [] : [{ deny: [], freezes: [], limit: { most, setBy: envOf('maxDisruptivePerHour') } }];

/** The place that options keep every call to. */
export function pinOf({ project, environment }: Config): Pin | undefined {
  if (project === undefined && environment === undefined) return undefined;
  return {
    ...(project !== undefined && { project: { name: project, setBy: envOf('project') } }),
    ...(environment !== undefined && { environment: { name: environment, setBy: envOf('environment') } }),
  };
}

/**
 * What the operator allows, by options and policy file.
 * @throws Error that says what is wrong with the file.
 */
export async function policyOf(config: Config): Promise<Policy> {
  const { readOnly, policyFile } = config;
  const pin = pinOf(config);
  if (policyFile === undefined) return { readOnly, rules: rulesOfOptions(config), pin };
  const [{ loadPolicy }, { tools }] = await Promise.all([import('../../server/guard/policy/load.ts'), import('../../../tools/index.ts')]);
  return { readOnly, pin, rules: [await loadPolicy(policyFile, tools), ...rulesOfOptions(config)] };
}
