import { permissionLevels, type PermissionLevel } from '../../contract/operation.ts';
import type { HttpCaller } from './caller.ts';
import type { RpcRequest } from './messages.ts';

/** Whether a level includes another one. */
export const reaches = (level: PermissionLevel, needed: PermissionLevel): boolean =>
  permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed);

/**
 * The answer to a caller whose level doesn't reach far enough, or undefined.
 * @param levelOf what a tool needs; undefined where there is no such tool.
 */
export function challengeTo(
  { level, stepUp }: HttpCaller,
  requests: readonly RpcRequest[],
  levelOf: (tool: string) => PermissionLevel | undefined,
): Response | undefined {
  for (const { method, name } of requests) {
    const needed = method === 'tools/call' && name !== undefined ? levelOf(name) : undefined;
    if (needed && !reaches(level, needed)) return stepUp(needed, name!);
  }
  return undefined;
}
