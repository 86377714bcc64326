import * as z from 'zod';
import { Name, resourceOf, Uri } from '../primitives.ts';
import {
  AnnotationsGroup,
  groupReferences,
  LabelsGroup,
  maximums,
  computeResources,
  serviceIdentity,
} from './service.ts';

export const DatabaseType = z.enum(['MONGODB', 'MYSQL', 'POSTGRESQL', 'REDIS']);
export const DatabaseMode = z.enum(['CONTAINER', 'MANAGED']);
export const Accessibility = z.enum(['PRIVATE', 'PUBLIC']);

export const DatabaseRequest = z.object({
  name: Name.describe('Unique in the environment.'),
  type: DatabaseType.describe('What it is.'),
  version: z.string().min(1).describe('e.g. 16.'),
  mode: DatabaseMode.describe('MANAGED: by its cloud.'),
  cpu: computeResources.cpu,
  memory: computeResources.memory,
  storage: z.int().min(1).default(10).describe('GB.'),
  description: z.string().optional(),
  accessibility: Accessibility.default('PRIVATE').describe('Who reaches it.'),
  instance_type: z.string().optional(),
});

/** The members of a database that can be changed. Its type and mode can't. */
export const DatabaseUpdateRequest = DatabaseRequest.omit({ type: true, mode: true }).extend({
  name: DatabaseRequest.shape.name.optional(),
  version: DatabaseRequest.shape.version.optional(),
  ...groupReferences,
  icon_uri: Uri.optional(),
});

export const Database = resourceOf(
  'database',
  z.object({
    ...serviceIdentity,
    maximum_cpu: maximums.maximum_cpu,
    maximum_memory: maximums.maximum_memory,
    type: DatabaseType,
    version: z.string(),
    mode: DatabaseMode,
    accessibility: Accessibility,
    instance_type: z.string().optional(),
    cpu: z.int(),
    memory: z.int(),
    storage: z.int(),
    host: z.string(),
    port: z.int(),
    annotations_groups: z.array(AnnotationsGroup).optional(),
    labels_groups: z.array(LabelsGroup).optional(),
  }),
);
