import { isServiceKind, type AnyOperation } from '../../../contract/index.ts';
import { originIn, type ServiceOrigin } from '../../../analysis/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { readById, readOperationOf, readServiceStatus, type Reader } from '../../context/index.ts';
import { reading, readUses, statusReads, type ReadUse } from '../reads.ts';
import { lostLogReads, lostLogs } from './lost-logs.ts';
import { notKnown, show, stateBefore, textOf, toldByAnswer, type PlanLine, type Preview } from './preview.ts';
import { undoneRollback, undoneRollbackReads } from './undone-rollbacks.ts';
import { commitLookup, commitReads } from './version-lookups.ts';

type Git = NonNullable<ServiceOrigin['git']>;

const nextCommit = ({ branch }: Git, commit: unknown): string =>
  typeof commit === 'string' ? `commit ${commit}` : `the newest commit of branch ${show(branch ?? 'unknown')}`;

const fromGit = (git: Git, commit: unknown): string =>
  `${git.deployed === undefined ? 'Deploys' : `Replaces commit ${git.deployed} by`} ${nextCommit(git, commit)} of ${show(git.url)}.`;

const fromCommit = (git: Git, commit: unknown): string =>
  `${git.deployed === undefined ? '' : `commit ${git.deployed} → `}${nextCommit(git, commit)}`;

/**
 * The version of a service that a deployment would run, in a few words; undefined if the record doesn't have it.
 * @param commit the one to deploy, if it isn't the newest.
 */
export function versionOf(service: JsonRecord, commit?: unknown): string | undefined {
  const { git, image, chart } = originIn(service);
  if (git) return fromCommit(git, commit);
  if (image?.name !== undefined) return `image ${show([image.name, image.tag].filter(Boolean).join(':'))}`;
  if (chart) return `chart ${show([chart.name, chart.version].filter(Boolean).join(' '))}`;
  const version = textOf(service, 'version');
  return version && `${textOf(service, 'type') ?? 'version'} ${show(version)}`;
}

/** A sentence about the version to be deployed; undefined if the record doesn't have it. */
function versionText(service: JsonRecord, commit: unknown): string | undefined {
  const { git } = originIn(service);
  if (git) return fromGit(git, commit);
  const version = versionOf(service);
  return version && `Deploys ${version}.`;
}

function stateText(status: JsonRecord): string {
  const [state, change] = [textOf(status, 'state'), textOf(status, 'service_deployment_status')];
  return `Now ${[state, change].filter((part) => part !== undefined).join(', ')}.`;
}

/** The line about the version. Answers say by themselves which commit is replaced. */
const versionLine = (service: JsonRecord | undefined, version: string | undefined): PlanLine => {
  if (version === undefined) return notKnown('what is deployed, and what it replaces');
  return originIn(service).git ? toldByAnswer(version) : version;
};

/** The reads of a deployment's preview, by the kinds of services that the operations deploy. */
const deploymentReads = (operations: readonly AnyOperation[]): readonly ReadUse[] =>
  [...new Set(operations.map(({ target }) => target))]
    .filter(isServiceKind)
    .flatMap((kind) => [
      ...readUses(
        'the plan does not show what is deployed and what it replaces',
        ...[readOperationOf(kind)].filter((one) => one !== undefined),
      ),
      ...statusReads(kind, 'the plan does not show whether it runs now'),
      ...lostLogReads(kind),
      ...(kind === 'application' ? [...undoneRollbackReads, ...commitReads] : []),
    ]);

/** What a deployment of an application should not be made without looking at, by the commit that it names. */
const warningsOf = (id: string, commit: unknown, reader: Reader): Promise<readonly PlanLine[]> =>
  typeof commit === 'string' ? commitLookup(id, commit, reader) : undoneRollback({ id }, reader);

/** The version that a deployment replaces, the one that it deploys, and the service's present state. */
export const deployment: Preview = reading(deploymentReads, async (args, { target, reader }) => {
  const { kind, id, environment } = target;
  if (id === undefined || !isServiceKind(kind)) return [notKnown('what runs now')];
  const commit = args['git_commit_id'];
  const [service, seen, lost, warned] = await Promise.all([
    readById(kind, id, reader),
    readServiceStatus({ kind, id, environmentId: environment?.id }, reader),
    lostLogs({ kind, id }, reader),
    kind === 'application' ? warningsOf(id, commit, reader) : [],
  ]);
  const status = seen?.status;
  const version = service && versionText(service, commit);
  return [
    ...warned,
    versionLine(service, version),
    stateBefore(status ? stateText(status) : notKnown('whether it runs now')),
    ...lost,
  ];
});
