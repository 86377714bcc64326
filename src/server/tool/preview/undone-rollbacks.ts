import { operations, shortened } from '../../../contract/index.ts';
import {
  findRollbackTarget,
  isRollback,
  readDeployment,
  versionSourceOf,
  type HistoryItem,
} from '../../../analysis/index.ts';
import { rowsIn, type Reader } from '../../context/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { readUses, type ReadUse } from '../reads.ts';
import { readIfPossible } from './optional-read.ts';
import { notAgreedTo, notKnown, showName, textOf, type PlanLine } from './preview.ts';
import { warningLine } from './warning-line.ts';

type HistoryReader = Pick<Reader, 'read' | 'attempt'>;

/** Uses of the reads for whether a deployment undoes a rollback. */
export const undoneRollbackReads: readonly ReadUse[] = readUses(
  'the plan does not show that it undoes a rollback',
  operations.list_application_deployments,
);

/** An application that a deployment takes along. */
interface DeployedApplication {
  readonly id: string;
  /** Its name, where the plan is about several. */
  readonly name?: string;
  /** The commit to deploy; the newest of its branch if it is left out. */
  readonly commit?: string;
}

/**
 * A warning that a deployment replaces the commit that an application was rolled back to. None if it goes back further.
 * Whatever fails at the platform, the plan is made, and says that this is not known.
 */
export async function undoneRollback(
  { id, name, commit }: DeployedApplication,
  reader: HistoryReader,
): Promise<readonly PlanLine[]> {
  const answer = await readIfPossible(operations.list_application_deployments, { application_id: id }, reader);
  const of = name === undefined ? 'it' : showName(name);
  if (!answer) return [notAgreedTo(notKnown(`whether ${of} was rolled back, which this deployment undoes`))];
  const history = rowsIn(answer).map((row) => readDeployment(row as HistoryItem));
  const target = findRollbackTarget(history);
  if (target.kind !== 'already_rolled_back' || commit === target.to.commit) return [];
  if (commit !== undefined && isRollback(history, commit) === true) return [];
  return [
    warningLine({
      code: 'ROLLBACK_UNDONE',
      ...(name !== undefined && { service: name }),
      left: target.from,
      running: target.to.commit,
      ...(commit !== undefined && { next: commit }),
    }),
  ];
}

/** How many histories a plan reads: there is no list of those of several services. */
const mostHistories = 10;

/** Applications among rows of a list of services, without those whose commit stays. */
const replacedAmong = (
  services: readonly JsonRecord[],
  commitOf: (service: JsonRecord) => string | undefined,
): readonly DeployedApplication[] =>
  services.flatMap((service) => {
    if (textOf(service, 'service_type') !== 'APPLICATION') return [];
    const source = versionSourceOf('application', service);
    const commit = commitOf(service);
    if (commit !== undefined && source?.by === 'commit' && source.deployed === commit) return [];
    const id = String(service['id']);
    return [{ id, name: textOf(service, 'name') ?? id, ...(commit !== undefined && { commit }) }];
  });

/**
 * The same for several services of a list. For applications beyond the first ten it says that nobody looked.
 * @param commitOf the commit to deploy of a service; the newest of its branch if it is undefined
 */
export async function undoneRollbacksAmong(
  services: readonly JsonRecord[],
  reader: HistoryReader,
  commitOf: (service: JsonRecord) => string | undefined = () => undefined,
): Promise<readonly PlanLine[]> {
  const all = replacedAmong(services, commitOf);
  const [read, others] = [all.slice(0, mostHistories), all.slice(mostHistories)];
  const lines = await Promise.all(read.map((one) => undoneRollback(one, reader)));
  return [
    ...lines.flat(),
    ...(others.length === 0
      ? []
      : [
          notAgreedTo(
            `Not looked up, to spare requests: whether others were rolled back, which this deployment undoes: ${shortened(others.map(({ name, id }) => showName(name ?? id)).join(', '), 300)}.`,
          ),
        ]),
  ];
}
