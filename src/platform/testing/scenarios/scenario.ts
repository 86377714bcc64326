import type { EnvironmentMode } from '../../../contract/index.ts';
import type { SimulationFacts } from '../../runtime/simulated/index.ts';
import type { SeedService } from '../../seed/index.ts';

/** An event some days before the platform was started. */
export type HistoryEvent = { readonly daysAgo: number; readonly by: string } & (
  | { /** Paths of services of one environment. */ readonly deploy: readonly string[] }
  | { readonly stop: readonly string[] }
  | {
      /** The path of an environment, and the new value of one of its variables. */ readonly edit: string;
      readonly key: string;
      readonly value: string;
    }
  | {
      /** A service's path, and the changed members of its configuration. */ readonly change: string;
      readonly to: object;
    }
);

/** An environment that a scenario adds. */
export interface ScenarioEnvironment {
  /** The names of the project and the environment, separated by a slash. A missing project is created. */
  readonly path: string;
  readonly mode: EnvironmentMode;
  /** The name of a seeded cluster, or of one that the scenario adds. */
  readonly cluster: string;
}

/** A failure to apply to the seeded organization. It only adds resources and changes no existing ones. */
export interface Scenario {
  readonly name: string;
  /** The story of the failure. */
  readonly story: string;
  /** The observable symptoms. */
  readonly symptoms: string;
  /** The fix that makes the next deployment succeed. */
  readonly fix: string;
  readonly environments: readonly [ScenarioEnvironment, ...ScenarioEnvironment[]];
  /** Clusters that it adds, with their locks. */
  readonly clusters?: readonly {
    readonly name: string;
    readonly description: string;
    readonly lock: { readonly daysAgo: number; readonly owner: string; readonly reason: string; readonly days: number };
  }[];
  readonly services: readonly SeedService[];
  /** Plain text variables. `of` is the path of a service or an environment. */
  readonly variables?: readonly { readonly of: string; readonly key: string; readonly value: string }[];
  /** Oldest first. The last event is a deployment or a stop. */
  readonly history: readonly HistoryEvent[];
  readonly facts: Partial<SimulationFacts>;
}
