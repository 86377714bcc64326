import * as z from 'zod';
import { Name, reference, resourceOf, Uuid } from '../primitives.ts';
import { Healthchecks, workloadRequestFields, workloadFields } from './service.ts';

/** A linked container registry. Its kind determines the format of image names. */
export const ContainerRegistry = resourceOf(
  'registry',
  z.object({
    id: Uuid,
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    name: z.string(),
    kind: z.string(),
    url: z.string(),
    description: z.string().optional(),
  }),
);

export const ImageTag = z
  .string()
  .regex(/^\w[\w.-]{0,127}$/, 'must be an image tag')
  .describe('Image tag.');

export const ContainerRequest = z.object({
  name: Name.describe('Unique in the environment, whatever the case.'),
  registry_id: reference('registry'),
  image_name: z.string().min(1).describe('ECR: repository; PUBLIC_ECR: alias/repository; others: namespace/image.'),
  tag: ImageTag,
  healthchecks: Healthchecks,
  ...workloadRequestFields,
});

export const Container = resourceOf(
  'container',
  z.object({
    ...workloadFields,
    registry: ContainerRegistry.pick({ id: true, name: true, url: true, kind: true }),
    registry_id: Uuid,
    image_name: z.string(),
    tag: z.string(),
  }),
);
