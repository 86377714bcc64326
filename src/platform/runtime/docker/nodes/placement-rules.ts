import type { ServiceToRun, TaskInputs } from '../../index.ts';
import type { PlacementParts } from './placement.ts';

/** Where some of the services of a cluster may run. */
export interface PlacementRule {
  /** Which services these are: what is left out doesn't matter. Project and environment are names. */
  readonly where: {
    readonly mode?: string | undefined;
    readonly kind?: string | undefined;
    readonly project?: string | undefined;
    readonly environment?: string | undefined;
  };
  /** What nodes have to be, in the words of the engine, such as `node.labels.disk==ssd`. */
  readonly constraints: readonly string[];
}

/** Where whoever runs a platform wants instances to run. */
export interface PlacementSettings {
  /** All that concern a service hold for it. */
  readonly rules: readonly PlacementRule[];
  /**
   * The label of nodes whose values instances are spread over, such as that of their room or rack; default: only over
   * the nodes.
   */
  readonly spreadOver?: string | undefined;
}

/** What holds where nothing is configured: instances run anywhere. */
export const anywhere: PlacementSettings = { rules: [] };

/** Where the instances of a service may run by these settings. */
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
