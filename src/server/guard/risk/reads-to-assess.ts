import { isServiceKind, operations, type AnyOperation, type ReferenceKind } from '../../../contract/index.ts';
import { bringsCode, readOperationOf, readsOfSecretsSeen } from '../../context/index.ts';
import { readsToFindLock } from '../cluster-lock.ts';
import { readUses, wideReadUse, type ReadUse } from '../../tool/index.ts';

const inDoubt = 'the mode of its environment is not known, so changes are judged in doubt, as those of production are';

/** The reads that find the location and mode of a resource, by its kind. */
function readsToLocate(kind: ReferenceKind): readonly ReadUse[] {
  if (kind === 'cluster') {
    return [
      ...readUses(
        'what the cluster hosts is not known, so changes of it are judged in doubt, as those of production are',
        operations.get_organization,
        operations.list_clusters,
        operations.list_projects,
        operations.list_environments,
      ),
      wideReadUse(operations.list_environments_of_organization, operations.list_projects, operations.list_environments),
    ];
  }
  const own = kind === 'organization' || kind === 'project' ? undefined : readOperationOf(kind);
  const isLocated = isServiceKind(kind) || kind === 'environment' || kind === 'alert_rule';
  return readUses(inDoubt, ...(own ? [own] : []), ...(isLocated ? [operations.get_environment] : []));
}

/** The reads of the guard before it permits an operation: its location, mode, and locks. Empty for reads. */
export function readsToAssess(operation: AnyOperation): readonly ReadUse[] {
  const { effect, target, roles, reachesEnvironments } = operation;
  if (effect === 'read') return [];
  const referenced = Object.values(roles).flatMap((role) =>
    typeof role === 'object' && 'pointsAt' in role ? [role.pointsAt] : [],
  );
  const located = [
    target,
    ...referenced.filter((kind) => ['environment', 'project', 'cluster'].includes(kind) || isServiceKind(kind)),
  ];
  return [
    ...located.flatMap(readsToLocate),
    ...(reachesEnvironments
      ? readUses(
          'the environments that a change of a project reaches are not known, so it is judged as one of production',
          operations.list_environments,
        )
      : []),
    ...(bringsCode(operation)
      ? readUses(
          'whether a new service sees secrets of production is not known, so that somebody is asked',
          ...readsOfSecretsSeen,
        )
      : []),
    ...readsToFindLock(operation),
    ...readUses(
      'plans show ids in place of the names of organization and project',
      operations.get_organization,
      operations.list_projects,
    ),
  ];
}
