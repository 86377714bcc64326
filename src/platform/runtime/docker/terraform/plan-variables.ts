import { createHmac } from 'node:crypto';
import type { ResolvedVariable } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';

/**
 * Tells the variables of a run from others, files among them. Without the platform's key nobody finds out what they
 * are.
 */
export const digestOfVariables = (
  { secretFor }: Pick<DockerContext, 'secretFor'>,
  variables: readonly ResolvedVariable[],
): string =>
  createHmac('sha256', secretFor('terraform/variables'))
    .update(
      JSON.stringify(variables.map(({ key, value, isSecret, mountPath = null }) => [key, value, isSecret, mountPath])),
    )
    .digest('base64url');

/**
 * Why a plan is not applied that was made with other variables: its providers would sign in elsewhere, or do something
 * else.
 */
export const changedSincePlan =
  'Its variables were changed after the plan was made, so that applying it could do something else than the plan shows. Nothing was changed. Make a new plan.';

/** Why a plan is not kept whose variables were changed meanwhile. */
export const changedWhilePlanning =
  'Its variables were changed while the plan was made. Nothing was changed. Make it again.';
