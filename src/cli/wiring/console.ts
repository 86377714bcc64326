import { stat } from 'node:fs/promises';
import { readCalls, verifyLog } from '../../server/audit/index.ts';
import { keysFromExistingFile } from '../../server/context/index.ts';
import { readingRules } from '../../server/guard/index.ts';
import { readAs, type SharedDependencies } from '../../server/protocol/index.ts';
import type { ApprovalsSource, ConsoleSource, Restriction, ViewsSource } from '../../transport/index.ts';
import type { Config } from '../config/index.ts';
import { auditFilesOf } from './guard.ts';
import { keyFilesOf } from './secret-file.ts';

/** Maximum number of the latest calls on the approvals page. */
const maxLatestCalls = 30;

/** The records of this server as the approvals page shows them: the latest, and whether there are others. */
export function latestRecordsOf(config: Config): Pick<ApprovalsSource, 'latestCalls' | 'recordsMark'> {
  const { file } = auditFilesOf(config);
  return {
    latestCalls: async (wanted) => (config.auditCommand ? undefined : readCalls([file], maxLatestCalls, wanted)),
    recordsMark: async () =>
      stat(file).then(
        ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
        () => '',
      ),
  };
}

/**
 * What the views read and load.
 * @param under the server's dependencies under rules that narrow its policy.
 */
export const consoleViewsOf = (under: (restriction: Restriction) => SharedDependencies): ViewsSource => ({
  read: ({ tool, arguments: args }, { principal, requestId, rules = readingRules(), signal }) =>
    readAs(
      under({ name: `console ${JSON.stringify(rules)}`, rules: [rules] }),
      { tool, arguments: args },
      { principal, connection: 'console', requestId, signal },
    ),
  files: async () => (await import('../../views/console-files.ts')).consoleFiles(),
});

/**
 * The data of the console.
 * @param under the server's dependencies under rules that narrow its policy; undefined if it can't read the platform by
 *   itself.
 * @param isOneOfSeveral whether other servers share this one's database.
 */
export function consoleSourceOf(
  config: Config,
  under: ((restriction: Restriction) => SharedDependencies) | undefined,
  isOneOfSeveral: boolean,
): ConsoleSource {
  const { file, heads, keys } = auditFilesOf(config, keysFromExistingFile(keyFilesOf(config.keysDir).guard));
  return {
    views: under && consoleViewsOf(under),
    audit: {
      read: async (limit, wanted) => (config.auditCommand ? undefined : readCalls([file], limit, wanted)),
      verify: async () => (config.auditCommand ? undefined : verifyLog([file], heads, keys())),
      isOneOfSeveral,
    },
  };
}
