/**
 * Whether a change of a service records a deployment without a digest of its own. Versions before the step do so, and
 * leave the digest of an earlier one.
 * @param equals how the database compares values that may be null
 */
export const isNotOfDeployment = (equals: string): string => `new.deployed_digest_of ${equals} old.deployed_digest_of`;
