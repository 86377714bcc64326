import type { SimulationFacts } from '../../runtime/simulated/index.ts';
import { badImageTag } from './bad-image-tag.ts';
import { clusterLocked } from './cluster-locked.ts';
import { databaseDown } from './database-down.ts';
import { dockerBuildError } from './docker-build-error.ts';
import { failingReadinessProbe } from './failing-readiness-probe.ts';
import { flakyMigrationJob } from './flaky-migration-job.ts';
import { helmTimeout } from './helm-timeout.ts';
import { imagePullDenied } from './image-pull-denied.ts';
import { missingVariable } from './missing-variable.ts';
import { outOfMemory } from './out-of-memory.ts';
import { terraformStateLock } from './terraform-state-lock.ts';
import { wrongPort } from './wrong-port.ts';
import { wrongVariableValue } from './wrong-variable-value.ts';
import type { Scenario } from './scenario.ts';

/** Every scenario, in the order of the documentation. */
export const scenarios: readonly Scenario[] = [
  badImageTag,
  failingReadinessProbe,
  missingVariable,
  wrongVariableValue,
  wrongPort,
  outOfMemory,
  dockerBuildError,
  terraformStateLock,
  helmTimeout,
  databaseDown,
  imagePullDenied,
  flakyMigrationJob,
  clusterLocked,
];

/** The name that selects every scenario. */
export const allScenarios = 'all';

/**
 * Selects scenarios by name.
 * @throws Error for an unknown name
 */
export function scenariosNamed(names: readonly string[]): readonly Scenario[] {
  const known = scenarios.map(({ name }) => name);
  const unknown = names.find((name) => name !== allScenarios && !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `"${unknown}" is no scenario. There are ${known.join(', ')}; ${allScenarios} stands for every one.`,
    );
  return scenarios.filter(({ name }) => names.includes(allScenarios) || names.includes(name));
}

const mergedFacts = <Part extends keyof SimulationFacts>(part: Part): SimulationFacts[Part] =>
  Object.assign({}, ...scenarios.map(({ facts }) => facts[part])) as SimulationFacts[Part];

/**
 * The simulation facts of all scenarios. They apply whether or not a scenario is selected, because a data directory
 * keeps a scenario's resources when it is served again without that scenario.
 */
export const scenarioFacts: SimulationFacts = {
  images: mergedFacts('images'),
  repositories: mergedFacts('repositories'),
  charts: mergedFacts('charts'),
  clusters: mergedFacts('clusters'),
};
