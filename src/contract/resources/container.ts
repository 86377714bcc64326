import * as z from 'zod';
import { Name, reference, resourceOf, Uuid } from '../primitives.ts';
import { ContainerRegistry } from './container-registry.ts';
import { Healthchecks, workloadRequestFields, workloadFields } from './service.ts';

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
