import { isServiceKind, variableOwnerKinds, type VariableOwnerKind } from '../../contract/index.ts';
import { readVariableList, rowsIn } from '../context/index.ts';
import type { ResolutionProblem } from '../failure/index.ts';
import type { Lookup } from '../tool/index.ts';
import { foldCase } from './names.ts';

const isOwnerKind = (kind: string): kind is VariableOwnerKind => (variableOwnerKinds as readonly string[]).includes(kind);

/** What the call names that may have variables: the innermost. */
function ownerIn({ service, environmentId, projectId }: NonNullable<Lookup['within']>): { readonly kind: VariableOwnerKind; readonly id: string } | undefined {
  if (service) return isServiceKind(service.kind) && isOwnerKind(service.kind) ? { kind: service.kind, id: service.id } : undefined;
  if (environmentId !== undefined) return { kind: 'environment', id: environmentId };
  return projectId === undefined ? undefined : { kind: 'project', id: projectId };
}

/**
 * The problem of a key that no variable has, in the light of the secrets there, which have lists of their own.
 * @param problem of that key
 */
export async function withSecrets(problem: ResolutionProblem, { within = {}, reader }: Lookup): Promise<ResolutionProblem> {
  const owner = ownerIn(within);
  if (problem.kind !== 'environment_variable' || problem.why !== 'unknown' || !owner) return problem;
  // A failure here must not hide what is known already.
  const secrets = await readVariableList('secrets', owner, reader).catch(() => undefined);
  if (!secrets) return { ...problem, notes: [...problem.notes, 'It may be a secret: the secrets can not be read here.'] };
  const isOne = rowsIn(secrets).some(({ key }) => typeof key === 'string' && foldCase(key) === foldCase(problem.reference));
  return isOne ? { ...problem, why: 'is_secret', suggestions: [], notes: [] } : problem;
}
