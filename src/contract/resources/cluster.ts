import * as z from 'zod';
import { DateTime, identity, Pointer, resourceOf, Uuid } from '../primitives.ts';
import { ClusterState } from '../states.ts';

/** A cluster. Not in the API document. */
export const Cluster = resourceOf('cluster', z.object({
  ...identity,
  name: z.string(),
  description: z.string().optional(),
  organization: Pointer,
  region: z.string(),
  cloud_provider: z.string(),
  version: z.string(),
  is_default: z.boolean(),
  production: z.boolean(),
  status: ClusterState,
  is_locked: z.boolean(),
}));

/** Longest duration of a lock, in days. */
export const maximumLockDays = 5;

export const ClusterLockRequest = z.object({
  reason: z.string().min(1).max(1000).describe('Shown to whoever is refused.'),
  ttl_in_days: z.int().min(1).max(maximumLockDays).default(1).describe('Days until it ends by itself.'),
});

export const ClusterLock = z.object({
  cluster_id: Uuid,
  reason: z.string(),
  locked_at: DateTime,
  owner_name: z.string(),
  ttl_in_days: z.int(),
});

export const ClusterStatus = z.object({
  cluster_id: Uuid,
  status: ClusterState,
  is_deployed: z.boolean(),
  next_k8s_available_version: z.string().optional(),
  last_execution_id: z.string().optional(),
  // Null rather than absent: whether a cluster is locked decides what is refused, so the answer says it.
  cluster_lock: ClusterLock.nullable(),
  last_deployment_date: DateTime.optional(),
});
