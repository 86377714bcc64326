import * as z from 'zod';
import { gitProviders, operations, readGitAddress } from '../../src/contract/index.ts';
import {
  at,
  defineTool,
  isRecord,
  naming,
  readUses,
  record,
  rowsIn,
  secretsSeen,
  textOf,
  type JsonRecord,
  type ToolContext,
  deployment,
  otherStatusText,
  readServiceStatus,
  statusReads,
  logLines,
  readShownLog,
  type ShownLog,
  readsInsteadOf,
} from '../../src/server/tool/index.ts';
import { portsOf, serviceFields, serviceUpdate, withHealthchecks } from '../shared/service-update.ts';
import { groupsGiven } from '../shared/group-names.ts';
import { takenAlong } from '../shared/pending-changes.ts';
import { joined } from '../shared/plan-parts.ts';
import { startMoment } from '../shared/deployment-started.ts';
import { subjectAt } from '../shared/any-service.ts';
import { servingNow } from '../shared/serving.ts';

const providerNames: readonly string[] = gitProviders;

/** The words for git providers, by a pattern of their host names. */
const providers = gitProviders.map(
  (provider) => [new RegExp(String.raw`(?:^|[.-])${provider.toLowerCase()}(?:[.-]|$)`), provider] as const,
);

/** The host of a git address, such as `git@host:owner/name` or `https://host/owner/name`; undefined for none. */
const hostOf = (url: string | undefined): string | undefined => {
  const address = url === undefined ? undefined : readGitAddress(url);
  return typeof address === 'object' ? address.hostname : undefined;
};

interface Repository {
  readonly host?: string;
  readonly provider: string;
}

const repositoryOf = (service: unknown): readonly Repository[] => {
  const repository = at(service, 'git_repository');
  const provider = isRecord(repository) ? textOf(repository, 'provider') : undefined;
  return isRecord(repository) && provider !== undefined ? [{ host: hostOf(textOf(repository, 'url')), provider }] : [];
};

/** Maximum number of applications that are read individually if a list shows no repositories. */
const mostRead = 5;

/** Repositories of some applications, read individually until one is from this host. */
async function repositoriesOf(
  applications: readonly JsonRecord[],
  host: string | undefined,
  context: ToolContext,
): Promise<readonly Repository[]> {
  const found: Repository[] = [];
  for (const application of applications.slice(0, mostRead)) {
    // The next one is read only if this one doesn't show the host.
    found.push(
      ...repositoryOf(
        await context.attempt(operations.get_application, { application_id: textOf(application, 'id') ?? '' }),
      ),
    );
    if (found.some((one) => one.host === host)) break;
  }
  return found;
}

/** Repositories of an environment's services, if they can be read. */
async function repositoriesIn(
  environment: string,
  host: string | undefined,
  context: ToolContext,
): Promise<readonly Repository[]> {
  const services = rowsIn(await context.attempt(operations.list_services, { environment_id: environment }));
  const listed = services.flatMap(repositoryOf);
  const applications = services.filter(
    (service) => textOf(service, 'service_type') === 'APPLICATION' && textOf(service, 'id') !== undefined,
  );
  return listed.length > 0 ? listed : repositoriesOf(applications, host, context);
}

/**
 * The provider of a repository: determined by its host, or by another service from the same host. Left out if it can't
 * be determined; requested from the caller if the platform's services show that it has a fixed set of them.
 */
async function providerOf(
  url: string | undefined,
  environment: string,
  context: ToolContext,
): Promise<string | undefined> {
  const host = hostOf(url);
  const known = providers.find(([pattern]) => host !== undefined && pattern.test(host));
  if (known) return known[1];
  // A failed read is no obstacle: the platform reports missing members.
  const repositories = await repositoriesIn(environment, host, context).catch(() => []);
  const same = repositories.find((one) => one.host === host);
  if (same) return same.provider;
  if (repositories.length > 0 && repositories.every(({ provider }) => providerNames.includes(provider))) {
    context.refuse(
      'the host of the repository does not tell its git provider',
      `Give git_repository.provider: ${providerNames.join(', ')}.`,
    );
  }
  return undefined;
}

/** The request with everything that some platforms require. */
async function creationRequest(args: JsonRecord, context: ToolContext): Promise<JsonRecord> {
  const repository = args['git_repository'] as JsonRecord;
  const provider =
    textOf(repository, 'provider') ??
    (await providerOf(textOf(repository, 'url'), String(args['environment_id']), context));
  return {
    healthchecks: {},
    ...args,
    git_repository: { ...repository, ...(provider !== undefined && { provider }) },
    ...portsOf(args['ports']),
  };
}

export const createApplication = defineTool(operations.create_application, {
  toolset: 'services',
  title: 'Create an app from a Git repository',
  description:
    'Add a new application (app, API, website, backend service) built from a Git repository (repo, GitHub, ' +
    'GitLab) with a Dockerfile; not deployed.',
  ...serviceFields({
    fields: { git_repository: '{url, branch: main, root_path: /, git_token_id for private}.' },
    folded: ['git_repository'],
    hidden: ['description'],
  }),
  reads: readUses(
    'the git provider of a host without a known name is not filled in',
    operations.list_services,
    operations.get_application,
  ),
  expand: async (args, context) => [
    { operation: operations.create_application, input: await creationRequest(args, context) },
  ],
  preview: joined(groupsGiven, secretsSeen),
  render: record(),
  next: [
    'It is not deployed yet.',
    naming`Set what it needs with ${'create_environment_variable'} and ${'create_secret'}, then ${'deploy_application'}.`,
  ],
});

export const updateApplication = defineTool(
  operations.update_application,
  serviceUpdate(operations.update_application, {
    title: 'Scale an app up or down: memory, CPUs, replicas',
    description:
      'Change an application (app, API): more or less memory (RAM), CPU, limit, scale or autoscale, more instances ' +
      '(replicas), build another branch, start command, open port, Dockerfile, health checks, disks.',
    asRequest: withHealthchecks,
    fields: { git_repository: '{url, branch, root_path}.' },
    folded: ['git_repository'],
    hidden: ['description'],
  }),
);

export const deployApplication = defineTool(operations.deploy_application, {
  toolset: 'services',
  title: 'Release an app: newest code, branch or commit',
  description:
    'Deploy, ship, release, push or roll out an application (app, API): newest code, changes, version, ' +
    'build, or a given commit.',
  preview: joined(deployment, takenAlong),
  ...startMoment('DEPLOY', 'application_id'),
});

export const getApplicationStatus = defineTool(operations.get_application_status, {
  toolset: 'services',
  title: 'Status of an app: up, running, online',
  description:
    'Whether an application (app, API, website) runs, came up, deployed, healthy, reachable, online now: ' +
    'state, steps of its last deployment.',
  reads: [
    ...statusReads('application', 'there is no status to show').map((use) =>
      use.operation === operations.get_application_status ? { ...use, isNeeded: true as const } : use,
    ),
    ...readUses('which version serves is not shown', operations.list_application_deployments),
  ],
  answer: async ({ application_id }, context) => {
    const application = { kind: 'application' as const, id: String(application_id) };
    const found = await readServiceStatus(subjectAt(context, 'application_id') ?? application, context);
    if (found?.from === 'environment') context.leftOut(otherStatusText('application'));
    // Already read: the repeated read fails with the reason.
    const status = found?.status ?? {
      ...(await context.read(operations.get_application_status, { application_id: application.id })),
    };
    return { ...status, serves: await servingNow(context, application, status) };
  },
  render: record({ first: ['state', 'serves', 'service_deployment_status', 'last_deployment_date', 'id'] }),
});

export const getApplicationLogs = defineTool(operations.get_application_logs, {
  toolset: 'services',
  equivalentOperations: [operations.get_environment_logs],
  title: 'Print latest log lines of an application',
  description: 'Tail, print or show newest logs, stdout of an application (app).',
  input: { raw: z.boolean().optional().describe('Each line.') },
  fields: { tail: 'Messages.' },
  reads: [
    {
      operation: operations.get_application_logs,
      without: 'its lines are those in the log of its environment, which has only the latest deployments',
      isNeeded: true,
      instead: [operations.get_environment_logs],
    },
    ...readsInsteadOf('logs', 'application', 'its lines are not read from the log of its environment'),
    ...statusReads('application', 'an empty log does not say since when it could have lines'),
  ],
  answer: async ({ application_id, tail, raw }, context) => {
    const application = { kind: 'application' as const, id: String(application_id) };
    const shown: ShownLog = { ...(typeof tail === 'number' && { tail }), raw: raw === true };
    return (
      (await readShownLog(subjectAt(context, 'application_id') ?? application, context, shown)) ??
        // Already read: the repeated read fails with the reason.
        { ...(await context.read(operations.get_application_logs, { application_id: application.id })) }
    );
  },
  render: logLines,
});
