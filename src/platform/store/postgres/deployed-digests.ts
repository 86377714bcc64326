import { isNotOfDeployment } from '../schema/deployed-digests.ts';

/** The trigger that removes a digest when a deployment is recorded that it isn't of. */
export const digestStatements = [
  `create function forget_deployed_digest() returns trigger language plpgsql as $$
    begin
      new.deployed_digest := null;
      return new;
    end $$`,
  `create trigger service_deployed_without_digest before update of deployed_spec on service for each row
    when (${isNotOfDeployment('is not distinct from')}) execute function forget_deployed_digest()`,
] as const;
