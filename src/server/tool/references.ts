import * as z from 'zod';
import { kindPointedAt } from '../../contract/primitives.ts';
import type { ResourceKind } from './name-resolver.ts';

/** How a thing of a kind is named: by the names on the way to it. Kinds without an entry have a name of their own, or an id. */
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

/** One short description of a parameter that points at something. */
export const howToName = (kind: ResourceKind): string => namingHints[kind] ?? 'Name or id.';

/** A parameter that points at a service of any kind. */
export const anyService = (): z.ZodString => z.string().min(1).meta({ reference: 'service' });

/** What a member of an input points at; undefined where it is no pointer. */
export const pointsAt = (schema: z.ZodType | undefined): ResourceKind | undefined => kindPointedAt(schema);
