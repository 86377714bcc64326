import { isPlatformFailure, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/**
 * What may be told beside what was asked for; nothing if the platform fails to answer what that takes, and says so.
 * @param what names it at the start of a sentence, for example `Why it failed`
 */
export const ifPossible = <Told>(
  context: ToolContext,
  what: string,
  tell: () => Promise<Told>,
): Promise<Told | undefined> =>
  tell().catch((error: unknown) => {
    if (!isPlatformFailure(error)) throw error;
    context.leftOut(
      `${what} is not said, because the platform failed to answer what that takes (${error.operation}: ${error.reason}).`,
    );
    return undefined;
  });

/**
 * A read that nothing depends on, or that others can stand in for: that the platform doesn't offer it is not worth a
 * word.
 */
export const unlessMissing = (
  context: ToolContext,
  operation: Parameters<ToolContext['read']>[0],
  input: JsonRecord,
): Promise<JsonRecord | undefined> =>
  context
    .read(operation, input)
    .catch((error: unknown) =>
      isPlatformFailure(error) && error.kind === 'not_offered' ? undefined : context.attempt(operation, input),
    );
