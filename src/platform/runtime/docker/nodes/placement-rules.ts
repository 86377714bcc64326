import type { ServiceToRun, TaskInputs } from '../../index.ts';
import type { PlacementParts } from './placement.ts';

/** Where some of the services of a cluster may run. */
export interface PlacementRule {
  /** The services that the rule applies to: absent members match all. Project and environment are names. */
  readonly where: {
    readonly mode?: string | undefined;
    readonly kind?: string | undefined;
    readonly project?: string | undefined;
    readonly environment?: string | undefined;
  };
  /** The constraints for nodes in the engine's syntax, such as `node.labels.disk==ssd`. */
  readonly constraints: readonly string[];
}

/** The operator's settings for the placement of instances. */
export interface PlacementSettings {
  /** All rules that match a service apply to it. */
  readonly rules: readonly PlacementRule[];
  /**
   * The label of nodes whose values instances are spread over, such as that of their room or rack; default: only over
   * the nodes.
   */
  readonly spreadOver?: string | undefined;
}

/** The default: instances run anywhere. */
export const anywhere: PlacementSettings = { rules: [] };

/** Returns where the instances of a service may run by these settings. */
export function placementFor(
  { rules, spreadOver }: PlacementSettings,
  { kind }: Pick<ServiceToRun, 'kind'>,
  { environmentMode, environmentName, projectName }: TaskInputs,
): PlacementParts {
  const facts = { mode: environmentMode, kind, project: projectName, environment: environmentName };
  const concerns = ({ where }: PlacementRule): boolean =>
    (Object.keys(facts) as (keyof typeof facts)[]).every(
      (name) => where[name] === undefined || where[name] === facts[name],
    );
  return { constraints: [...new Set(rules.filter(concerns).flatMap(({ constraints }) => constraints))], spreadOver };
}
