import type { Config } from '../../config.ts';
import { readCalls } from '../../mcp/audit/calls.ts';
import { createDesk } from '../../mcp/guard/approvals/desk.ts';
import { hasSecret } from '../../mcp/guard/approvals/operator.ts';
import type { ShownApprovals } from '../../serve/http/approvals/approvals.ts';
import { approvalsOf, auditOf } from '../guard.ts';

/** Most calls that the page shows. */
const mostCalls = 30;

/** What the page of approvals shows, where it is wanted. */
export function openApprovals(config: Config): { readonly shown?: ShownApprovals; readonly close: () => void } {
  if (!config.approvalsPage) return { close: () => undefined };
  const approvals = approvalsOf(config);
  const { file } = auditOf(config);
  return {
    shown: {
      desk: createDesk(approvals),
      hasSecret: () => hasSecret(approvals.operator),
      latestCalls: async () => (config.auditCommand ? undefined : readCalls([file], mostCalls)),
    },
    close: () => approvals.store.close(),
  };
}
