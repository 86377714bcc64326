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
