import { isoAt } from '../../src/contract/index.ts';
import type { JsonRecord, ToolContext } from '../../src/server/tool/index.ts';

/**
 * Refuses a time that is over, before anybody is asked: the platform would refuse it afterwards. A time that isn't given
 * is fine.
 * @param member the argument that gives the time
 * @param isOver whether it is over; default: as the argument's date and time say
 */
export function refusePast(
  member: string,
  args: JsonRecord,
  { now, refuse }: Pick<ToolContext, 'now' | 'refuse'>,
  isOver: boolean = Date.parse(String(args[member])) <= now(),
): void {
  if (isOver)
    refuse(
      `"${member}" is over: it is ${isoAt(now())} now`,
      'Nothing was changed, and nobody was asked. Give a later time.',
    );
}
