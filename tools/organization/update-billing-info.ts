import { operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool } from '../../src/server/tool/index.ts';

export const updateBillingInfo = defineTool(operations.update_billing_info, {
  toolset: 'organization',
  description: "Change the name, address and e-mail on the organization's invoices. Give only what changes; the rest stays.",
  ...partialUpdate(operations.update_billing_info),
});
