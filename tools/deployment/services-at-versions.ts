import { DeployRequest, isServiceKind, operations, type ServiceKind } from '../../src/contract/index.ts';
import { versionSourceOf, type VersionSource } from '../../src/analysis/index.ts';
import { type JsonRecord, type PlannedOperation, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, subjectAt } from '../shared/any-service.ts';
import { commitsOf, newestCommit, wholeCommit } from '../shared/branch-commits.ts';
import { environmentIdOf } from '../shared/service-choice.ts';

/** A service to deploy: its id and, unless it is the newest or the configured one, the version to deploy. */
export interface ServiceAtVersion {
  readonly service: string;
  readonly version?: string | undefined;
}

interface Named {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly version: string | undefined;
}

/** The reason why a call can't be made. */
interface Problem {
  readonly what: string;
}

type Row = JsonRecord | Problem;

const isProblem = (row: Row): row is Problem => typeof row['what'] === 'string';

const alwaysFromGit: readonly ServiceKind[] = ['application', 'terraform'];

const members = { commit: 'git_commit_id', tag: 'image_tag', chart: 'chart_version' } as const;

const isCommit = (text: string): boolean => DeployRequest.shape.git_commit_id.safeParse(text).success;

/** The commit to send: the given one, with its full id if the platform lists it; otherwise the newest. */
async function commitFor(
  { kind, id, version }: Named,
  deployed: string | undefined,
  context: ToolContext,
): Promise<Row> {
  if (version !== undefined && !isCommit(version))
    return {
      what: `${kind} ${id} is built from commits, and "${version}" is none: a commit has 7 to 40 hexadecimal digits`,
    };
  const commits = await commitsOf(context, kind, id);
  if (version === undefined) {
    if (commits) return { git_commit_id: newestCommit(commits) };
    return deployed === undefined
      ? {
          what: `which commit of ${kind} ${id} is the newest can't be read here, and none of it was deployed before: give one`,
        }
      : {};
  }
  const whole = commits && wholeCommit(commits, version);
  if (whole !== undefined) return { git_commit_id: whole };
  // No list has every commit that can be deployed: commits of other branches are missing.
  return { git_commit_id: deployed?.toLowerCase().startsWith(version.toLowerCase()) ? deployed : version };
}

/** The version of a service, as its row in the request contains it. */
async function versionFor(named: Named, source: VersionSource | undefined, context: ToolContext): Promise<Row> {
  const { kind, id, version } = named;
  if (source?.by === 'commit') return commitFor(named, source.deployed, context);
  if (version === undefined) return {};
  if (source === undefined)
    return {
      what: `what ${kind} ${id} is made from can't be read here, so it isn't known what its version "${version}" is`,
    };
  return source.by === 'none'
    ? { what: `${kind} ${id} has no version to be deployed at: leave it out` }
    : { [members[source.by]]: version };
}

function namedIn(services: readonly ServiceAtVersion[], context: ToolContext): readonly Named[] {
  const all = services.map(({ service, version }, index) => {
    const subject = subjectAt(context, `services[${index}].service`);
    return subject && isServiceKind(subject.kind)
      ? { kind: subject.kind, id: subject.id, version }
      : context.refuse(`${service} is no service`, 'Give services only.');
  });
  const twice = all.find(({ id }, index) => all.findIndex((other) => other.id === id) !== index);
  return twice
    ? context.refuse(
        `${twice.kind} ${twice.id} is given twice`,
        'Give each service once, with the version that is meant.',
      )
    : all;
}

async function environmentOf(named: readonly Named[], context: ToolContext): Promise<string> {
  const ids = await Promise.all(
    named.map((_, index) => environmentIdOf(context.resolved[`services[${index}].service`]!, context)),
  );
  const other = ids.findIndex((id) => id !== ids[0]);
  return other === -1
    ? ids[0]!
    : context.refuse(
        `${named[0]!.kind} ${named[0]!.id} and ${named[other]!.kind} ${named[other]!.id} lie in different environments`,
        'Make a call for each environment.',
      );
}

/**
 * The one request that deploys these services, each at its version.
 * @throws CallFailure with all problems
 */
export async function servicesAtVersions(
  {
    services,
    environment,
  }: { readonly services: readonly ServiceAtVersion[]; readonly environment: string | undefined },
  context: ToolContext,
): Promise<PlannedOperation> {
  const named = namedIn(services, context);
  const environment_id = await environmentOf(named, context);
  if (environment !== undefined && environment !== environment_id)
    context.refuse(
      `${named[0]!.kind} ${named[0]!.id} lies in another environment than ${environment}`,
      'Give the environment that it lies in, or none.',
    );
  const rows = await Promise.all(
    named.map(async (one) => {
      // These are always built from commits. What fails there is told by who needs it.
      if (alwaysFromGit.includes(one.kind)) commitsOf(context, one.kind, one.id).catch(() => undefined);
      return versionFor(one, versionSourceOf(one.kind, await readAspect(context, one, 'configuration')), context);
    }),
  );
  const problems = rows.filter(isProblem);
  if (problems.length > 0) {
    context.refuse(problems.map(({ what }) => what).join('; '), 'Nothing was deployed. Correct that.');
  }
  const lists = Object.entries(
    Object.groupBy(
      named.map(({ kind, id }, index) => ({
        kind,
        item: kind === 'database' ? id : { [kind === 'application' ? 'application_id' : 'id']: id, ...rows[index] },
      })),
      ({ kind }) => kind,
    ),
  );
  // Each service's own risk counts, as if it were deployed alone.
  return {
    operation: operations.deploy_services,
    input: {
      environment_id,
      ...Object.fromEntries(lists.map(([kind, items]) => [`${kind}s`, items.map(({ item }) => item)])),
    },
    showsAll: true,
  };
}
