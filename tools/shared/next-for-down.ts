import type { NextCall } from '../../src/server/tool/index.ts';

const whys: Readonly<Record<string, string>> = {
  UNAVAILABLE: 'why it is unavailable',
  STOPPED: 'why no deployment of it succeeded: until one does, starting leaves it out',
};

/**
 * The next call for a service that failed, is unavailable, or was stopped before any deployment of it succeeded.
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
    : { tool: 'diagnose_deployment', arguments: { service: id }, why: whys[String(state)] ?? 'why it failed' };
