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

/** How to refer to a resource, with the form of its path. */
export const howToName = (kind: ResourceKind): string => (kind === 'environment_variable' ? 'Key or id.' : `${paths[kind] ?? 'Name'} or id.`);

/** The same, as short as every schema has it. The server's instructions say what a path is. */
export const shortHint = (kind: ResourceKind): string => (paths[kind] === undefined ? howToName(kind) : 'Path or id.');

/** A parameter that refers to a service of any kind. */
export const anyService = (): z.ZodString => z.string().min(1).meta({ reference: 'service' });

/** The kind of resource that a parameter refers to; undefined if it isn't a reference. */
export const pointsAt = (schema: z.ZodType | undefined): ResourceKind | undefined => kindPointedAt(schema);
