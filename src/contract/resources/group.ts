import * as z from 'zod';
import { Name } from '../primitives.ts';

const Key = z.string().min(1).describe('Unique in the group.');

export const LabelsGroupRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  labels: z
    .array(z.object({ key: Key, value: z.string(), propagate_to_cloud_provider: z.boolean() }))
    .describe('Each also on resources of the cloud, or not.'),
});

/** Kinds of objects on a cluster that annotations can be on. */
const AnnotationScope = z.enum([
  'DEPLOYMENTS',
  'STATEFUL_SETS',
  'SERVICES',
  'INGRESS',
  'GATEWAY_API_ROUTES',
  'HPA',
  'PODS',
  'SECRETS',
  'JOBS',
  'CRON_JOBS',
]);

export const AnnotationsGroupRequest = z.object({
  name: Name.describe('Unique in the organization.'),
  annotations: z.array(z.object({ key: Key, value: z.string() })).describe('What the objects say.'),
  scopes: z.array(AnnotationScope).describe('Objects of the cluster that have them.'),
});
