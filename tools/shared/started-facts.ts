import { instancesIn, instancesText, isRange, originIn, shortCommit } from '../../src/analysis/index.ts';
import { isServiceKind, operations, serviceKinds } from '../../src/contract/index.ts';
import {
  itemsInLists,
  jobEffect,
  jobEffectSeen,
  omit,
  pruneRecord,
  rowsIn,
  scheduleText,
  textOf,
  versionOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readOf, type Subject } from './any-service.ts';
import { ifPossible } from './if-possible.ts';
import { isSentOneByOne } from './one-by-one.ts';
import { addressesOf, reachedIn, shownAddresses } from './public-addresses.ts';
import { versionNote } from './version-note.ts';

const withShortCommits = (text: string): string => text.replaceAll(/\b[0-9a-f]{40}\b/g, shortCommit);

const called = (service: JsonRecord, version: string | undefined): string =>
  [
    `${textOf(service, 'name') ?? String(service['id'])}: ${withShortCommits(version ?? 'as it is configured')}`,
    instancesText(instancesIn(service)),
  ]
    .filter(Boolean)
    .join(', ');

/** A request about one service as a row of a request about several. */
const asRow = (input: JsonRecord): JsonRecord[] =>
  serviceKinds.flatMap((kind) =>
    input[`${kind}_id`] === undefined ? [] : [{ ...omit(input, [`${kind}_id`]), id: input[`${kind}_id`] }],
  );

/** Whether some services of an environment were deployed, by one request or one at a time. */
const deployedSeveral = ({ done, sent }: ToolContext): boolean =>
  done.includes(operations.deploy_services.name) || isSentOneByOne(sent);

/** The call's requests for single services of an environment, by id; undefined if it deployed all of it, or nothing. */
function askedServices(context: ToolContext): ReadonlyMap<unknown, JsonRecord> | undefined {
  if (!deployedSeveral(context)) return undefined;
  return new Map(
    context.sent.flatMap((input) => [...itemsInLists(input), ...asRow(input)]).map(({ id, ...more }) => [id, more]),
  );
}

/**
 * Returns a function that checks whether the call deployed a service; undefined if it deployed all of an environment,
 * or nothing.
 */
export function isDeployed(context: ToolContext): ((service: string) => boolean) | undefined {
  const asked = askedServices(context);
  return asked && ((service) => asked.has(service));
}

/** The version that was deployed of a service, given the service before and, if it was read, after. */
function versionChange(before: JsonRecord, after: JsonRecord | undefined): string | undefined {
  const [old, commit] = [before, after].map((service) => originIn(service).git?.deployed);
  return commit !== undefined && old === commit ? `commit ${commit}, as before` : versionOf(before, commit);
}

/** What a deployment did to a job that has no clock: the answer tells of cron jobs by itself. */
const effectOfOtherJobs = (job: JsonRecord): string | undefined =>
  scheduleText(job) === undefined ? jobEffect(job) : undefined;

/**
 * The deployed versions of an environment's services, a line for each; undefined if its services weren't read.
 * @param options `after` are the services after the deployment of a whole environment, which took the newest commits.
 * `isDone` if the answer tells by itself what became of cron jobs.
 */
async function versionsIn(
  context: ToolContext,
  environment_id: string,
  { after, isDone = false }: { readonly after?: readonly JsonRecord[]; readonly isDone?: boolean } = {},
): Promise<readonly string[] | undefined> {
  const services = await context.before(operations.list_services, { environment_id });
  if (!services) return undefined;
  const asked = askedServices(context);
  if (!asked)
    return rowsIn(services).map((service) => {
      const version = versionChange(
        service,
        after?.find(({ id }) => id === service['id']),
      );
      const effect = !isDone && textOf(service, 'service_type') === 'JOB' ? `; ${jobEffect(service)}` : '';
      return `${called(service, version)}${effect}`;
    });
  const chosen = rowsIn(services).filter(({ id }) => asked.has(id));
  return Promise.all(
    chosen.map(async (service) =>
      called(
        service,
        await versionNote(
          service,
          asked.get(service['id'])!,
          { attempt: context.before },
          isDone ? effectOfOtherJobs : undefined,
        ),
      ),
    ),
  );
}

/** A range of instances is what is configured: the platform decides how many of it run. */
const asConfigured = (instances: string | undefined): string | undefined =>
  instances !== undefined && isRange(instances) ? `${instances}, as configured` : instances;

/** The deployed version of a service and its number of instances, from data that was read before the deployment. */
async function versionOfService(context: ToolContext, { kind, id }: Subject): Promise<JsonRecord> {
  const configuration = await context.before(readOf('configuration', kind), { [`${kind}_id`]: id });
  if (!configuration) return {};
  const isSameAgain = context.done.includes(`redeploy_${kind}`) && kind !== 'terraform';
  const version = isSameAgain ? undefined : versionOf(configuration, context.sent.at(-1)?.['git_commit_id']);
  return {
    deploys: version && withShortCommits(version),
    instances: asConfigured(instancesIn(configuration)),
    job: kind === 'job' ? await jobEffectSeen(configuration, context) : undefined,
  };
}

/** The commit that a deployed service ran before, from data that was read before the deployment. */
export async function commitReplaced(context: ToolContext, { kind, id }: Subject): Promise<JsonRecord> {
  if (!isServiceKind(kind)) return {};
  const before = await context.before(readOf('configuration', kind), { [`${kind}_id`]: id });
  const commit = originIn(before).git?.deployed;
  return commit === undefined ? {} : { replaces: `commit ${shortCommit(commit)}` };
}

/**
 * The versions in a deployment of several services of an environment, or of all; nothing for other deployments.
 * @param isDone whether it succeeded: of all services, the commits that were taken are known then
 */
export async function severalVersions(
  context: ToolContext,
  { kind, id }: Subject,
  isDone: boolean,
): Promise<JsonRecord> {
  if (kind !== 'environment') return {};
  return {
    deploys: await ifPossible(context, 'At which versions', async () => {
      if (deployedSeveral(context) || !isDone) return versionsIn(context, id, { isDone });
      const after = await context.attempt(operations.list_services, { environment_id: id });
      return versionsIn(context, id, { after: after && rowsIn(after), isDone });
    }),
  };
}

/**
 * The facts about an accepted deployment: the version, the configured instances, and the addresses. Reads only the
 * addresses.
 */
export async function startedFacts(context: ToolContext, subject: Subject): Promise<JsonRecord> {
  const isService = isServiceKind(subject.kind);
  const [versions, addresses] = await Promise.all([
    ifPossible(context, 'At which version', async () =>
      isService ? versionOfService(context, subject) : { deploys: await versionsIn(context, subject.id) },
    ),
    ifPossible(context, 'Where it is reached', () =>
      isService ? addressesOf(context, subject) : reachedIn(context, subject.id, isDeployed(context) ?? (() => true)),
    ),
  ]);
  return pruneRecord({ ...versions, ...shownAddresses(addresses) });
}
