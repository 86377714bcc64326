import { isDeepStrictEqual } from 'node:util';
import { condition, type Condition, type OutsideChange } from '../../../../contract/index.ts';
import { replicasOf, type DockerContainerSpec, type DockerServiceSpec } from '../api/index.ts';

/** Engines treat empty lists, empty objects and absent members as the same. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member);
    return kept === undefined || kept === 0 || kept === '' || kept === false ? [] : [[name, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(withoutEmpty(one), withoutEmpty(other));

type Container = DockerContainerSpec | undefined;
const containerOf = ({ TaskTemplate }: DockerServiceSpec): Container => TaskTemplate.ContainerSpec;

/** The names of the variables that differ. Their values are not disclosed. */
function changedVariables(one: Container, other: Container): string[] {
  const [before, after] = [one?.Env ?? [], other?.Env ?? []];
  const differing = [
    ...before.filter((line) => !after.includes(line)),
    ...after.filter((line) => !before.includes(line)),
  ];
  return [...new Set(differing.map((line) => line.split('=')[0]!))].toSorted();
}

/** The parts of a service that decide what runs, and the change to report if one differs. */
const parts: readonly {
  readonly of: (spec: DockerServiceSpec) => unknown;
  readonly change: (before: DockerServiceSpec, after: DockerServiceSpec) => OutsideChange;
}[] = [
  { of: (spec) => containerOf(spec)?.Image, change: (_, after) => ({ of: 'image', to: containerOf(after)?.Image }) },
  { of: (spec) => [containerOf(spec)?.Command, containerOf(spec)?.Args], change: () => ({ of: 'command' }) },
  {
    of: (spec) => containerOf(spec)?.Env?.toSorted(),
    change: (before, after) => ({ of: 'variables', names: changedVariables(containerOf(before), containerOf(after)) }),
  },
  { of: (spec) => containerOf(spec)?.Mounts, change: () => ({ of: 'volumes' }) },
  {
    of: (spec) => [containerOf(spec)?.Secrets, containerOf(spec)?.Configs],
    change: () => ({ of: 'secrets or files' }),
  },
  { of: (spec) => containerOf(spec)?.Healthcheck, change: () => ({ of: 'health check' }) },
  { of: (spec) => spec.TaskTemplate.Networks, change: () => ({ of: 'networks' }) },
  { of: (spec) => spec.TaskTemplate.Resources, change: () => ({ of: 'limits' }) },
  { of: (spec) => spec.TaskTemplate.Placement?.Constraints, change: () => ({ of: 'nodes' }) },
];

/**
 * Returns the changes to a service that were made outside of the platform. Only parts that decide what runs count:
 * labels, versions and the settings of updates don't.
 * @param recorded the service as its deployment left it
 * @param wanted how many instances it should have
 */
export function changesByHand(recorded: DockerServiceSpec, wanted: number, present: DockerServiceSpec): Condition[] {
  const replicas = replicasOf(present);
  const scaled: OutsideChange[] = replicas === wanted ? [] : [{ of: 'scale', from: wanted, to: replicas }];
  const changed = parts
    .filter(({ of }) => !isSame(of(recorded), of(present)))
    .map(({ change }) => change(recorded, present));
  return [...scaled, ...changed].map((change) => condition('CHANGED_EXTERNALLY', { change }));
}
