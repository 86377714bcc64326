import type { EnvironmentMode } from '../../../contract/resources/environment.ts';
import type { SimulationFacts } from '../../runtime/simulated/simulation-context.ts';
import type { SeedService } from '../../seed/services.ts';

/** Something that happened before the platform was started, so many days ago. */
export type HistoryEvent = { readonly daysAgo: number; readonly by: string } & (
  | { /** Services, by path, of one environment. */ readonly deploy: readonly string[] }
  | { readonly stop: readonly string[] }
  | { /** The path of an environment that holds a variable, and the value it was given. */ readonly edit: string; readonly key: string; readonly value: string }
  | { /** A service's path, and the members of its configuration that were changed. */ readonly change: string; readonly to: object }
);

/** An environment that a scenario brings. */
export interface ScenarioEnvironment {
  /** Names of the project, which is made where it is missing, and of the environment. */
  readonly path: string;
  readonly mode: EnvironmentMode;
  /** Name of a seeded cluster, or of one the scenario brings. */
  readonly cluster: string;
}

/** A failure that is put onto the seeded organization, and changes nothing of what is there. */
export interface Scenario {
  readonly name: string;
  /** What happened. */
  readonly story: string;
  /** What whoever looks sees. */
  readonly symptoms: string;
  /** What makes the next deployment good. */
  readonly fix: string;
  readonly environments: readonly [ScenarioEnvironment, ...ScenarioEnvironment[]];
  /** Clusters that it brings, with who locked them. */
  readonly clusters?: readonly { readonly name: string; readonly description: string; readonly lock: { readonly daysAgo: number; readonly owner: string; readonly reason: string; readonly days: number } }[];
  readonly services: readonly SeedService[];
  /** Variables in clear, of services and environments by their paths. */
  readonly variables?: readonly { readonly of: string; readonly key: string; readonly value: string }[];
  /** From the oldest on; the last is a deployment or a stop. */
  readonly history: readonly HistoryEvent[];
  readonly facts: Partial<SimulationFacts>;
}
