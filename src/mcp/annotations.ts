import type { AnyOperation, Effect } from '../contract/operation.ts';

/** What hosts decide by before they run a tool. All four are always given. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const destroying: readonly Effect[] = ['destructive', 'sensitive'];

/** Derived from what the operation does. Repeating a read or a replacement changes nothing more; the platform is a world outside this server. */
export const annotationsOf = ({ effect, method }: AnyOperation): Annotations => ({
  readOnlyHint: effect === 'read',
  destructiveHint: destroying.includes(effect),
  idempotentHint: effect === 'read' || method === 'PUT',
  openWorldHint: true,
});
