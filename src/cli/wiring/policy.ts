import { optionHelp, type Config } from '../config/index.ts';
import type { Policy, Rules, Scope } from '../../server/guard/index.ts';

const envOf = (option: 'maxDisruptivePerHour' | 'project' | 'environment'): string => optionHelp.find(({ name }) => name === option)!.env;

/** The rules that options set. */
const optionRules = ({ maxDisruptivePerHour: most }: Config): Rules[] =>
  most === undefined ? [] : [{ deny: [], freezes: [], limit: { most, setBy: envOf('maxDisruptivePerHour') } }];

/** The scope set by options; undefined if none is set. */
export function configuredScope({ project, environment }: Config): Scope | undefined {
  if (project === undefined && environment === undefined) return undefined;
  return {
    ...(project !== undefined && { project: { name: project, setBy: envOf('project') } }),
    ...(environment !== undefined && { environment: { name: environment, setBy: envOf('environment') } }),
  };
}

/**
 * The policy set by options and the policy file.
 * @throws Error that says what is wrong with the file.
 */
export async function configuredPolicy(config: Config): Promise<Policy> {
  const { readOnly, policyFile } = config;
  const scope = configuredScope(config);
  if (policyFile === undefined) return { readOnly, rules: optionRules(config), scope };
  const [{ loadPolicy }, { tools }] = await Promise.all([import('../../server/guard/policy/load.ts'), import('../../../tools/index.ts')]);
  return { readOnly, scope, rules: [await loadPolicy(policyFile, tools), ...optionRules(config)] };
}
