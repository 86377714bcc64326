import { operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool } from '../../src/server/tool/index.ts';

export const updateBillingInfo = defineTool(operations.update_billing_info, {
  toolset: 'organization',
  title: 'Change the invoice address',
  description:
    'Change billing details: the address, company name, e-mail or VAT number on the invoice. Give only what changes.',
  ...partialUpdate(operations.update_billing_info),
});
