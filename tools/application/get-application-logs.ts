import { operations } from '../../src/contract/index.ts';
import { defineTool, logLines } from '../../src/server/tool/index.ts';

export const getApplicationLogs = defineTool(operations.get_application_logs, {
  toolset: 'services',
  description: "Read an application's latest output, to see what it does or why it crashes. Newest lines last.",
  render: logLines,
});
