// Versions before the step record what a deployment deployed, and leave the digest of an earlier one.
const withoutDigest = (equals: string): string => `new.deployed_digest_of ${equals} old.deployed_digest_of`;

/** The triggers that remove a digest when a deployment is recorded that it isn't of, in both databases. */
export const digestStatements = {
  postgres: [
    `create function forget_deployed_digest() returns trigger language plpgsql as $$
      begin
        new.deployed_digest := null;
        return new;
      end $$`,
    `create trigger service_deployed_without_digest before update of deployed_spec on service for each row
      when (${withoutDigest('is not distinct from')}) execute function forget_deployed_digest()`,
  ],
  // A trigger of SQLite can't change a row before it is written.
  sqlite: [
    `create trigger service_deployed_without_digest after update of deployed_spec on service
      when ${withoutDigest('is')} begin
        update service set deployed_digest = null where id = new.id;
      end`,
  ],
} as const;
