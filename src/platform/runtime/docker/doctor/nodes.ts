import { condition } from '../../../../contract/index.ts';
import type { DockerNode } from '../api/index.ts';
import { fastHeartbeat, heartbeatOf, missedAfter } from '../nodes/failover.ts';
import { fits, misfitOf } from '../nodes/fitting-nodes.ts';
import { nodeName, takesInstances } from '../nodes/node-facts.ts';
import { placementOf } from '../nodes/placement.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { dockerCommand, type ExaminedEngine } from './examined-engine.ts';

const managersCheck = findingBuilder('managers');
const failover = findingBuilder('failover');
const placement = findingBuilder('placement');

/** The number of managers of a swarm that can lose one of them: a majority has to be up. */
const enoughManagers = 3;

const seconds = (nanoseconds: number): string => `${nanoseconds / 1e9} s`;

function managersFinding(examined: ExaminedEngine, all: readonly DockerNode[]): DoctorFinding {
  const managers = all.filter(({ Spec }) => Spec.Role === 'manager');
  if (managers.length >= enoughManagers) return managersCheck.good(`${managers.length} of ${all.length} machines`);
  const workers = all
    .filter(({ Spec, Status }) => Spec.Role === 'worker' && Status.State === 'ready')
    .map(nodeName)
    .toSorted()
    .slice(0, enoughManagers - managers.length);
  const missing = enoughManagers - managers.length - workers.length;
  const todo = [
    ...(workers.length > 0 ? [`${dockerCommand(examined)} node promote ${workers.join(' ')}`] : []),
    ...(missing > 0
      ? [
          `join ${missing === 1 ? 'another machine' : `${missing} other machines`} as a manager, with the command that ${dockerCommand(examined)} swarm join-token manager prints`,
        ]
      : []),
  ];
  const why =
    managers.length === 1
      ? 'if it is lost, services on the others keep running, but nothing can be deployed, moved or observed until it is back'
      : 'both have to be up, or nothing can be deployed or started elsewhere: two are worse than one';
  return managersCheck.note(
    `${managers.length === 1 ? 'only' : 'only two:'} ${managers.map(nodeName).toSorted().join(' and ')}; ${why}`,
    `Have three, so that one may be lost: ${todo.join('; ')}. Then list their addresses under "engine" in the clusters file.`,
  );
}

async function failoverFinding({ docker, hasFastFailover }: ExaminedEngine): Promise<DoctorFinding> {
  const heartbeat = await heartbeatOf(docker);
  const isFast = heartbeat <= fastHeartbeat;
  const now = `a lost node is detected after at most ${seconds(missedAfter(heartbeat))}: the heartbeat of the swarm is ${seconds(heartbeat)}`;
  if (hasFastFailover && !isFast)
    return failover.info(
      `${now}; with "failover: fast", the platform sets it to ${seconds(fastHeartbeat)} when it starts, for the whole swarm`,
    );
  return failover.good(
    isFast || hasFastFailover
      ? now
      : `${now}; "failover: fast" in the clusters file would set it to ${seconds(fastHeartbeat)}`,
  );
}

/** Why no node fits, as text; undefined if one does. */
function misfitText(...of: Parameters<typeof misfitOf>): string | undefined {
  const misfit = misfitOf(...of);
  return misfit && condition('NO_MATCHING_NODE', misfit).message;
}

type Rule = ExaminedEngine['placement']['rules'][number];

/** Whether a rule applies to every service that another one applies to. */
const includes = ({ where: wide }: Rule, { where: narrow }: Rule): boolean =>
  Object.entries(wide).every(([name, value]) => value === undefined || narrow[name as keyof Rule['where']] === value);

/**
 * The problem of the nodes for the services of a rule, with all other rules that apply to each of them; undefined if a
 * node fits and takes instances.
 */
function placementFinding(
  { placement: { rules } }: ExaminedEngine,
  rule: Rule,
  all: readonly DockerNode[],
): DoctorFinding | undefined {
  const together = rules.filter((each) => includes(each, rule));
  const template = placementOf({
    constraints: [...new Set([...rule.constraints, ...together.flatMap(({ constraints }) => constraints)])],
  });
  const alone = placementOf({ constraints: rule.constraints });
  const able = all.filter((node) => fits(node, template));
  const of =
    Object.entries(rule.where)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
      .join(', ') || 'all services';
  const misfit = misfitText(all, alone);
  if (misfit !== undefined)
    return placement.bad(`rule for ${of}: ${misfit}`, 'Until then, deployments of these services fail.');
  if (able.length === 0)
    return placement.bad(
      `rule for ${of}, with the others that apply to the same services: ${misfitText(all, template)}`,
      'Until then, deployments of these services fail.',
    );
  if (able.some(takesInstances)) return undefined;
  return placement.bad(
    `rule for ${of}: only ${able.map(nodeName).toSorted().join(' and ')} would fit, and ${able.length === 1 ? 'it takes' : 'they take'} no services`,
    'Start one of them, or make it active. Until then, deployments of these services fail, and new databases and storage get no node.',
  );
}

/** Checks whether the machines of a swarm meet the needs of services. @param all its nodes */
export async function nodesFindings(examined: ExaminedEngine, all: readonly DockerNode[]): Promise<DoctorFinding[]> {
  return [
    ...(all.length > 1 ? [managersFinding(examined, all), await failoverFinding(examined)] : []),
    ...examined.placement.rules.flatMap((rule) => placementFinding(examined, rule, all) ?? []),
  ];
}
