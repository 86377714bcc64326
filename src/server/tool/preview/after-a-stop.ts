import { shortened } from '../../../contract/index.ts';
import { showName } from './preview.ts';

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
