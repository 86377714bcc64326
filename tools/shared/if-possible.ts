import { isPlatformFailure, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/**
 * Reads optional information for an answer. If the platform fails, returns nothing, and the answer says so.
 * @param what its name at the start of a sentence, for example `Why it failed`
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
 * A read that nothing depends on, or that others can replace. If the platform doesn't offer it, the answer doesn't
 * mention that.
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

/** What a read returns; undefined if its subject has been deleted since it was listed. */
export const unlessGone = <Told>(read: Promise<Told>): Promise<Told | undefined> =>
  read.catch((error: unknown) =>
    isPlatformFailure(error) && error.kind === 'not_found' ? undefined : Promise.reject(error as Error),
  );
