import type * as z from 'zod';
import { hiddenSecret, type AutoscalingRequest } from '../../../contract/index.ts';
import { invalid, isoNow, type StoredAutoscaling } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';

type Policy = z.output<typeof AutoscalingRequest>;
type Authentication = NonNullable<Policy['scalers'][number]['trigger_authentication']>;
type StoredAuthentication = NonNullable<StoredAutoscaling['scalers'][number]['trigger_authentication']>;

/**
 * Converts an autoscaling policy to its stored form, with sealed credentials. A secret that is omitted, or sent back as
 * the placeholder that responses show, stays unchanged.
 * @param previous the policy to replace. Existing scalers and credentials keep their ids
 * @throws ApiProblem 400 for a placeholder without an existing secret
 */
export function toStoredAutoscaling(
  policy: Policy,
  previous: StoredAutoscaling | undefined,
  { vault, random, clock }: RequestContext,
): StoredAutoscaling {
  const now = isoNow(clock);
  const identity = (known: { id: string; created_at: string } | undefined) => ({
    id: known?.id ?? random.uuid(),
    created_at: known?.created_at ?? now,
    updated_at: now,
  });
  const knownCredentials = (previous?.scalers ?? []).flatMap(({ trigger_authentication: known }) => known ?? []);

  const seal = ({ name, config_yaml: secret }: Authentication, index: number): StoredAuthentication => {
    const known = knownCredentials.find((credential) => credential.name === name);
    const newSecret = secret === hiddenSecret ? undefined : secret;
    if (newSecret !== undefined) return { ...identity(known), name, sealed_config_yaml: vault.seal(newSecret) };
    if (known) return { ...identity(known), name, sealed_config_yaml: known.sealed_config_yaml };
    throw invalid(
      `autoscaling.scalers.${index}.trigger_authentication.config_yaml`,
      `there is no "${name}" yet whose secret could be kept; send the real one`,
    );
  };

  return {
    ...policy,
    ...identity(previous),
    scalers: policy.scalers.map(({ trigger_authentication: authentication, ...scaler }, index) => {
      const known = previous?.scalers[index];
      return {
        ...scaler,
        ...identity(known?.scaler_type === scaler.scaler_type ? known : undefined),
        ...(authentication && { trigger_authentication: seal(authentication, index) }),
      };
    }),
  };
}

/** A policy in responses, without secrets. */
export const autoscalingAnswer = (policy: StoredAutoscaling, serviceId: string, organizationId: string) => ({
  ...policy,
  service_id: serviceId,
  scalers: policy.scalers.map(({ trigger_authentication: authentication, ...scaler }) => ({
    ...scaler,
    ...(authentication && {
      trigger_authentication: { ...authentication, organization_id: organizationId, config_yaml: hiddenSecret },
    }),
  })),
});
