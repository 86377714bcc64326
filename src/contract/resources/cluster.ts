import * as z from 'zod';
import { Condition } from '../conditions/index.ts';
import { DateTime, identity, Pointer, resourceOf, Uuid } from '../primitives.ts';
import { ClusterState } from '../states.ts';

/** Roles of a cluster's machines. */
const nodeRoles = ['MANAGER', 'WORKER'] as const;
/** PAUSE: accepts no new instances. DRAIN: has none. */
const nodeAvailabilities = ['ACTIVE', 'PAUSE', 'DRAIN'] as const;
export const nodeStates = ['READY', 'DOWN', 'UNKNOWN', 'DISCONNECTED'] as const;

/** A machine of a cluster. Not in the API document. */
const ClusterNode = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(nodeRoles),
  availability: z.enum(nodeAvailabilities).describe('PAUSE: takes no new instances. DRAIN: has none.'),
  state: z.enum(nodeStates),
  state_since: DateTime.describe('At the latest.'),
  address: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional().describe('Given by its operator.'),
  cpu: z.int().describe('Thousandths of a CPU.'),
  cpu_allotted: z.int().describe('What its instances may use of that.'),
  memory: z.int().describe('MB.'),
  memory_allotted: z.int().describe('What its instances may use of that.'),
  instances: z.int().describe('How many run on it.'),
  cpu_used: z.int().optional().describe('Of it, what instances of the platform use.'),
  memory_used: z.int().optional(),
});

/** A cluster. Not in the API document. */
export const Cluster = resourceOf(
  'cluster',
  z.object({
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
    nodes: z.array(ClusterNode).optional().describe('Its machines. Absent where it has none, or they can not be read.'),
    warnings: z.array(z.string()).optional().describe('What is not as it should be of it, and its nodes.'),
    conditions: z.array(Condition).optional().describe('The same as data.'),
  }),
);

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
  // Null rather than absent: operations are refused depending on the lock, so the response states it.
  cluster_lock: ClusterLock.nullable(),
  last_deployment_date: DateTime.optional(),
});

/** The advanced settings of a cluster: one flat object, by dotted names. */
export const AdvancedSettings = z.record(z.string(), z.unknown());
