import type { Config } from '../../config/read-config.ts';
import { readCalls } from '../../../server/audit/calls.ts';
import { createDesk } from '../../../server/guard/approvals/desk.ts';
import { hasSecret } from '../../../server/guard/approvals/operator.ts';
import type { RecordDecision } from '../../../server/audit/record.ts';
import type { ShownApprovals } from '../../../transport/http/approvals/approvals.ts';
import { approvalsOf, auditOf } from '../guard.ts';

/** Most calls that the page shows. */
const mostCalls = 30;

/**
 * What the page of approvals shows, where it is wanted.
 * @param record puts what is decided there on record.
 */
export function openApprovals(config: Config, record: RecordDecision): { readonly shown?: ShownApprovals; readonly close: () => void } {
  if (!config.approvalsPage) return { close: () => undefined };
  const approvals = approvalsOf(config);
  const { file } = auditOf(config);
  return {
    shown: {
      desk: createDesk(approvals, { how: 'page', record }),
      hasSecret: () => hasSecret(approvals.operator),
      latestCalls: async () => (config.auditCommand ? undefined : readCalls([file], mostCalls)),
    },
    close: () => approvals.store.close(),
  };
}
