import type { NextCall } from '../../src/server/tool/index.ts';

/**
 * The next call for a service that failed or is unavailable.
 * @param hasBackup whether it is a database whose node is lost and that has a backup
 */
export const nextForDown = (
  { kind, id, state }: { readonly kind?: unknown; readonly id?: unknown; readonly state?: unknown },
  hasBackup: boolean,
): NextCall =>
  kind === 'database' && hasBackup
    ? {
        tool: 'restore_database',
        arguments: { database_id: id },
        why: 'only if its node does not come back: from its newest backup, without what was written since',
      }
    : {
        tool: 'diagnose_deployment',
        arguments: { service: id },
        why: state === 'UNAVAILABLE' ? 'why it is unavailable' : 'why it failed',
      };
