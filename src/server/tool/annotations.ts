import type { Effect } from '../../contract/operation.ts';
import type { Tool } from './tool.ts';

/** What hosts decide by before they run a tool. All four are always given. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const destroying: readonly Effect[] = ['destructive', 'sensitive'];

/** Derived from what the tool's operations do. Repeating a read or a replacement changes nothing more; the platform is a world outside this server. */
export const annotationsOf = ({ operations, operation: { effect } }: Tool): Annotations => ({
  readOnlyHint: effect === 'read',
  destructiveHint: destroying.includes(effect),
  idempotentHint: operations.every((operation) => operation.effect === 'read' || operation.method === 'PUT'),
  openWorldHint: true,
});
