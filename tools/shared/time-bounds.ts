import { timeWindow, UnusableQuery, type TimeWindow } from '../../src/analysis/index.ts';
import type { ToolContext } from '../../src/server/tool/index.ts';

/**
 * The time window that a call's bounds give, in milliseconds since the epoch.
 * @throws CallFailure if a bound can't be used
 */
export const windowOf = (
  bounds: { readonly since?: string; readonly until?: string },
  context: ToolContext,
): TimeWindow => {
  try {
    return timeWindow(bounds, new Date(context.now()));
  } catch (error) {
    if (error instanceof UnusableQuery)
      return context.refuse(error.message.replace(/\.$/, ''), 'Correct it, or leave it out.');
    throw error;
  }
};
