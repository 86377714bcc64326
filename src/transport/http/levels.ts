import { reaches, type PermissionLevel } from '../../contract/operation.ts';
import type { HttpCaller } from './caller.ts';
import type { RpcRequest } from './messages.ts';

/**
 * The answer to a caller whose level doesn't reach far enough and who can bring more, or undefined.
 * @param levelOf what a tool needs; undefined where there is no such tool.
 */
export function challengeTo(
  { level, stepUp }: HttpCaller,
  requests: readonly RpcRequest[],
  levelOf: (tool: string) => PermissionLevel | undefined,
): Response | undefined {
  for (const { method, name } of requests) {
    const needed = method === 'tools/call' && name !== undefined ? levelOf(name) : undefined;
    if (needed && stepUp && !reaches(level, needed)) return stepUp(needed, name!);
  }
  return undefined;
}
