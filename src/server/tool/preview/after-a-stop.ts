import { isFiring, operations, shortened } from '../../../contract/index.ts';
import { isRecord } from '../../json/index.ts';
import { listOfOrganization, rowsIn, type Reader } from '../../context/index.ts';
import { readUses } from '../reads.ts';
import { notAgreedTo, showName, textOf, type PlanLine } from './preview.ts';

/** What of stopped services may go, and what stays: only a deletion takes disks along. */
export const lostAndKept = 'Logs may be lost; disks and volumes stay.';

/** The reads of `endingAlerts`. */
export const endingAlertReads = readUses(
  'the plan does not name the alerts that fire about what is stopped',
  operations.get_organization,
  operations.list_alert_rules,
);

/**
 * Names the alerts that fire about what is stopped: where nothing runs, nothing is measured, and an alert may end though
 * nothing is mended. Nothing if there are none, or they can't be read.
 * @param ids of the services, and of their environment
 */
export async function endingAlerts(
  ids: readonly unknown[] | Promise<readonly unknown[]>,
  reader: Reader,
): Promise<readonly PlanLine[]> {
  const [list, stopped] = await Promise.all([listOfOrganization(operations.list_alert_rules, reader), ids]);
  const names = rowsIn(list)
    .filter(({ state, target }) => isFiring(state) && isRecord(target) && stopped.includes(target['target_id']))
    .map((rule) => showName(textOf(rule, 'name') ?? String(rule['id'])));
  return names.length === 0
    ? []
    : [notAgreedTo(`Firing alerts that the stop alone may end: ${shortened(names.join(', '), 300)}.`)];
}

/**
 * Why a stop takes nothing of a Terraform service down, as the end of a sentence: whether an environment is stopped or
 * a service, platforms at most plan then, and only deleting it destroys what it made.
 */
export const terraformStays = 'what Terraform made stays when it is stopped';

/**
 * Says which stopped jobs starting services does not bring back, and what does; nothing if there are none.
 * @param place where they are, if a plan is about several environments
 */
export function jobsLeftOff(names: readonly string[], place?: string): readonly string[] {
  if (names.length === 0) return [];
  const [jobs, them] = names.length === 1 ? ['the job', 'it'] : ['the jobs', 'them'];
  const called = `${jobs} ${shortened(names.map(showName).join(', '), 300)}`;
  const where = place === undefined ? '' : ` in ${place}`;
  return [`Starting does not bring back ${called}${where}: deploying ${them} does, and may run ${them}.`];
}
