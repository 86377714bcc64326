import { isNotOfDeployment } from '../schema/deployed-digests.ts';

/**
 * The trigger that removes a digest when a deployment is recorded that it isn't of. It runs after the change: a trigger of
 * SQLite can't change a row before it is written.
 */
export const digestStatements = [
  `create trigger service_deployed_without_digest after update of deployed_spec on service
    when ${isNotOfDeployment('is')} begin
      update service set deployed_digest = null where id = new.id;
    end`,
] as const;
