import { isDeepStrictEqual } from 'node:util';
import { replicasOf, type DockerContainerSpec, type DockerServiceSpec } from '../engine/index.ts';

/** Empty lists and objects, and what is absent, are the same to an engine. */
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

/** The names of the variables that differ. Their values are nobody's business. */
function changedVariables(one: Container, other: Container): string[] {
  const [before, after] = [one?.Env ?? [], other?.Env ?? []];
  const differing = [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))];
  return [...new Set(differing.map((line) => line.split('=')[0]!))].toSorted();
}

/** The parts of a service that decide what runs, and what to say of one that differs. */
const parts: readonly { readonly of: (spec: DockerServiceSpec) => unknown; readonly said: (before: DockerServiceSpec, after: DockerServiceSpec) => string }[] = [
  { of: (spec) => containerOf(spec)?.Image, said: (_, after) => `Somebody changed its image on the engine to ${containerOf(after)?.Image ?? 'another one'}` },
  { of: (spec) => [containerOf(spec)?.Command, containerOf(spec)?.Args], said: () => 'Somebody changed the command of its instances on the engine' },
  {
    of: (spec) => containerOf(spec)?.Env?.toSorted(),
    said: (before, after) => `Somebody changed its variables on the engine: ${changedVariables(containerOf(before), containerOf(after)).join(', ')}`,
  },
  { of: (spec) => containerOf(spec)?.Mounts, said: () => 'Somebody changed its volumes on the engine' },
  { of: (spec) => [containerOf(spec)?.Secrets, containerOf(spec)?.Configs], said: () => 'Somebody changed the secrets or files of its instances on the engine' },
  { of: (spec) => containerOf(spec)?.Healthcheck, said: () => 'Somebody changed its health check on the engine' },
  { of: (spec) => spec.TaskTemplate.Networks, said: () => 'Somebody changed its networks on the engine' },
  { of: (spec) => spec.TaskTemplate.Resources, said: () => 'Somebody changed its limits of CPU and memory on the engine' },
  { of: (spec) => spec.TaskTemplate.Placement?.Constraints, said: () => 'Somebody changed on which nodes it may run' },
];

/**
 * What somebody changed of a service without the platform, as sentences. Only what decides what runs counts: labels, versions
 * and how updates go don't.
 * @param recorded the service as its deployment left it
 * @param wanted how many instances it should have
 */
export function changesByHand(recorded: DockerServiceSpec, wanted: number, present: DockerServiceSpec): string[] {
  const replicas = replicasOf(present);
  const scaled = replicas === wanted ? [] : [`Somebody scaled it from ${wanted} to ${replicas} on the engine`];
  const changed = parts.filter(({ of }) => !isSame(of(recorded), of(present))).map(({ said }) => said(recorded, present));
  return [...scaled, ...changed].map((sentence) => `${sentence}. Deploy it again to undo that.`);
}
