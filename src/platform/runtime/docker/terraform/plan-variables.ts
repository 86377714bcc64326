import { createHmac } from 'node:crypto';
import type { ResolvedVariable } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';

/**
 * Returns a digest that distinguishes the variables of a run, including files. Without the platform's key, the values
 * can't be derived from it.
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
