import * as z from 'zod';
import type { PlacementSettings } from '../../platform/runtime/docker/index.ts';
import { EnvironmentMode, serviceKinds } from '../../contract/index.ts';

const constraintPattern = /^node\.(?:labels\.[\w.-]+|hostname|role) ?(?:==|!=) ?[\w.:/-]+$/;
const Constraint = z.string().regex(constraintPattern, 'must be a constraint of the engine such as node.labels.disk==ssd or node.hostname!=node-3');

const PlacementRule = z.strictObject({
  mode: EnvironmentMode.optional(),
  kind: z.enum(serviceKinds).optional(),
  project: z.string().optional(),
  environment: z.string().optional(),
  constraints: z.array(Constraint).min(1),
});

/** What a cluster of the clusters file may say of its nodes. */
export const NodesOfCluster = z.object({
  placement: z.strictObject({
    rules: z.array(PlacementRule).default([]),
    spread_over: z.string().regex(/^[\w.-]+$/, 'must be the name of a label of nodes, such as zone').optional(),
  }).optional(),
  failover: z.literal('fast', 'must be fast, or left out: then the settings of the swarm stay as they are').optional(),
});

/** The same in the words of the runtime. What is left out is its default. */
export const nodeSettings = ({ placement, failover }: z.output<typeof NodesOfCluster>): { readonly placement: PlacementSettings; readonly hasFastFailover: boolean } => ({
  placement: { rules: (placement?.rules ?? []).map(({ constraints, ...where }) => ({ where, constraints })), spreadOver: placement?.spread_over },
  hasFastFailover: failover === 'fast',
});
