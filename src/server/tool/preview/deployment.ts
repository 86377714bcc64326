import { isServiceKind, type AnyOperation } from '../../../contract/index.ts';
import { at, isRecord, type JsonRecord } from '../../json/index.ts';
import { readById, readOperationOf, readServiceStatus } from '../../context/index.ts';
import { reading, readUses, statusReads, type ReadUse } from '../reads.ts';
import { notAgreedTo, show, textOf, notKnown, type Preview } from './preview.ts';

const recordIn = (service: JsonRecord, path: string): JsonRecord | undefined => {
  const found = at(service, path);
  return isRecord(found) ? found : undefined;
};

/** Paths of a service's Git repository and image, which differ by kind of service. */
const repositories = ['git_repository', 'source.git.git_repository', 'terraform_files_source.git.git_repository'];
const images = ['', 'source.image'];

const repositoryOf = (service: JsonRecord): JsonRecord | undefined => repositories.map((path) => recordIn(service, path)).find(Boolean);

function fromGit(repository: JsonRecord, commit: unknown): string {
  const next = typeof commit === 'string' ? `commit ${commit}` : `the newest commit of branch ${show(textOf(repository, 'branch') ?? 'unknown')}`;
  const last = textOf(repository, 'deployed_commit_id');
  return last === undefined ? `Deploys ${next} of ${show(textOf(repository, 'url'))}.` : `Replaces commit ${last} by ${next} of ${show(textOf(repository, 'url'))}.`;
}

const newest = (repository: JsonRecord): string => {
  const last = textOf(repository, 'deployed_commit_id');
  return `${last === undefined ? '' : `commit ${last} → `}the newest commit of branch ${show(textOf(repository, 'branch') ?? 'unknown')}`;
};

/** The version of a service that a deployment would run, in a few words; undefined if the record doesn't have it. */
export function versionOf(service: JsonRecord): string | undefined {
  const repository = repositoryOf(service);
  if (repository) return newest(repository);
  const image = images.map((path) => (path ? recordIn(service, path) : service)).find((found) => textOf(found, 'image_name'));
  if (image) return `image ${show(`${textOf(image, 'image_name')}:${textOf(image, 'tag')}`)}`;
  const chart = recordIn(service, 'source.repository');
  if (chart) return `chart ${show(`${textOf(chart, 'chart_name')} ${textOf(chart, 'chart_version')}`)}`;
  const version = textOf(service, 'version');
  return version && `${textOf(service, 'type') ?? 'version'} ${show(version)}`;
}

/** A sentence about the version to be deployed; undefined if the record doesn't have it. */
function versionText(service: JsonRecord, commit: unknown): string | undefined {
  const repository = repositoryOf(service);
  const version = repository ? undefined : versionOf(service);
  return repository ? fromGit(repository, commit) : version && `Deploys ${version}.`;
}

function stateText(status: JsonRecord): string {
  const [state, change] = [textOf(status, 'state'), textOf(status, 'service_deployment_status')];
  return `Now ${[state, change].filter((part) => part !== undefined).join(', ')}.`;
}

/** What the preview of a deployment reads, by the kinds of services that the operations deploy. */
const deploymentReads = (operations: readonly AnyOperation[]): readonly ReadUse[] =>
  [...new Set(operations.map(({ target }) => target))].filter(isServiceKind).flatMap((kind) => [
    ...readUses('the plan does not show what is deployed and what it replaces', ...[readOperationOf(kind)].filter((one) => one !== undefined)),
    ...statusReads(kind, 'the plan does not show whether it runs now'),
  ]);

/** The version that a deployment replaces, the one that it deploys, and the service's present state. */
export const deployment: Preview = reading(deploymentReads, async (args, { target, reader }) => {
  const { kind, id, environment } = target;
  if (id === undefined || !isServiceKind(kind)) return [notKnown('what runs now')];
  const [service, seen] = await Promise.all([readById(kind, id, reader), readServiceStatus({ kind, id, environmentId: environment?.id }, reader)]);
  const status = seen?.status;
  const version = service && versionText(service, args['git_commit_id']);
  return [version ?? notKnown('what is deployed, and what it replaces'), notAgreedTo(status ? stateText(status) : notKnown('whether it runs now'))];
});
