import * as z from 'zod';
import { kindPointedAt } from '../../contract/index.ts';
import type { ResourceKind } from './name-resolver.ts';

/** How to refer to a resource, by kind. Kinds without an entry take a name or an id. */
const namingHints: Partial<Record<ResourceKind, string>> = {
  project: 'Name or id.',
  environment: 'project/environment, or id.',
  environment_variable: 'Key or id.',
  application: 'project/environment/name, or id.',
  container: 'project/environment/name, or id.',
  database: 'project/environment/name, or id.',
  job: 'project/environment/name, or id.',
  helm: 'project/environment/name, or id.',
  terraform: 'project/environment/name, or id.',
  service: 'Of any kind: project/environment/name, or id.',
};

/** A short description for a parameter that refers to a resource. */
export const howToName = (kind: ResourceKind): string => namingHints[kind] ?? 'Name or id.';

/** A parameter that refers to a service of any kind. */
export const anyService = (): z.ZodString => z.string().min(1).meta({ reference: 'service' });

/** The kind of resource that a parameter refers to; undefined if it isn't a reference. */
export const pointsAt = (schema: z.ZodType | undefined): ResourceKind | undefined => kindPointedAt(schema);
