import { isoAt, type AnyOperation } from '../../src/contract/index.ts';
import type { JsonRecord, PlannedOperation, ToolContext } from '../../src/server/tool/index.ts';

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

/** What a tool of one operation plans, unless this argument is a time that is over: then it is refused. */
export const unlessPast =
  (operation: AnyOperation, member: string) =>
  (args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> => {
    refusePast(member, args, context);
    return Promise.resolve([{ operation, input: args }]);
  };
