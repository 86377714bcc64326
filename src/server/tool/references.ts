import * as z from 'zod';
import { kindPointedAt } from '../../contract/index.ts';
import type { ResourceKind } from './name-resolver.ts';

const servicePath = 'project/environment/name';

/** The path of a resource, by kind. Kinds without an entry have a name. */
const paths: Partial<Record<ResourceKind, string>> = {
  environment: 'project/environment',
  application: servicePath,
  container: servicePath,
  database: servicePath,
  job: servicePath,
  helm: servicePath,
  terraform: servicePath,
  service: servicePath,
};

/** The members used as the name of a resource, by kind. */
const names: Partial<Record<ResourceKind, string>> = { environment_variable: 'Key', webhook: 'Host of its address' };

/** How to refer to a resource, with the form of its path. */
export const howToName = (kind: ResourceKind): string => `${paths[kind] ?? names[kind] ?? 'Name'} or id.`;

/** The same, in the short form for schemas. The server's instructions explain paths. */
export const shortHint = (kind: ResourceKind): string => (paths[kind] === undefined ? howToName(kind) : 'Path or id.');

/** A parameter that refers to a service of any kind. */
export const anyService = (): z.ZodString => z.string().min(1).meta({ reference: 'service' });

/** A member of a list's records that refers to a resource. */
interface RowReference {
  readonly member: string;
  readonly kind: ResourceKind;
}

/** A member inside a record, at any depth, that refers to a resource. */
interface InnerReference {
  /** Dotted, from the record. */
  readonly path: string;
  readonly kind: ResourceKind;
}

/**
 * The members inside a record that refer to resources; none for a parameter that isn't a record. Excludes members of
 * lists.
 */
export function referencesInside(schema: z.ZodType | undefined, above = ''): readonly InnerReference[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return referencesInside(schema.unwrap() as z.ZodType, above);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).flatMap(([member, inner]) => {
    const [kind, path] = [pointsAt(inner), `${above}${member}`];
    return kind === undefined ? referencesInside(inner, `${path}.`) : [{ path, kind }];
  });
}

/** The members of a list's records that refer to resources; none for a parameter that isn't a list of records. */
export function referencesInRows(schema: z.ZodType | undefined): readonly RowReference[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return referencesInRows(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodArray) || !(schema.element instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.element.shape).flatMap(([member, inner]) => {
    const kind = pointsAt(inner);
    return kind === undefined ? [] : [{ member, kind }];
  });
}

/** The kind of resource that a parameter refers to; undefined if it isn't a reference. */
export const pointsAt = (schema: z.ZodType | undefined): ResourceKind | undefined => kindPointedAt(schema);
