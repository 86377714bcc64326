import { operations } from '../../src/contract/operations.ts';
import { defineTool, record } from '../../src/mcp/tool.ts';

export const updateBillingInfo = defineTool(operations.update_billing_info, {
  toolset: 'organization',
  description: "Change the name, address and e-mail on the organization's invoices. Replaces all of it: what you leave out is lost.",
  plan: () => ['Replaces the whole billing information.'],
  render: record(),
});
