import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isReadableFile, isThere, namesIn } from '../../files/index.ts';
import type { Config } from '../config/index.ts';
import {
  blindSpot,
  readCalls,
  recordedCallerText,
  recordedTargetText,
  verifyLog,
  verifyLogs,
  type ChainAnchors,
  type LogPlace,
  type LogVerification,
  type RecordedCall,
} from '../../server/audit/index.ts';
import { keysFromExistingFile } from '../../server/context/index.ts';
import { clean } from '../../server/redaction/index.ts';
import { columns } from '../terminal/columns.ts';
import { auditFilesOf, type AuditFiles } from '../wiring/guard.ts';
import { keyFilesOf } from '../wiring/secret-file.ts';
import { openExistingSharedStore } from '../wiring/shared-guard.ts';
import { withProgress } from '../terminal/progress.ts';
import { outcomeCell, riskCell, timeCell } from '../terminal/table-cells.ts';
import type { Cell } from '../terminal/cell.ts';
import { wrapped } from '../terminal/lines.ts';

const hasHeads = ({ heads }: AuditFiles): boolean => namesIn(heads)?.some((name) => name.endsWith('.head')) === true;

/** Whether no process has written a log: there is neither an entry nor a head, and so no key either. */
const isUnused = (configured: AuditFiles, files: readonly string[]): boolean =>
  !hasHeads(configured) && files.every((file) => statSync(file).isFile() && statSync(file).size === 0);

/** The log file for an argument, which is a server's data directory or one file of its log. */
function fileNamed(word: string, logName: string): string {
  const path = resolve(word);
  if (!isThere(path))
    throw new Error(`There is no ${word}. Name the data directory of a server, or the files of its log.`);
  return statSync(path).isDirectory() ? join(path, logName) : path;
}

/**
 * The logs of several servers, and their heads. Files of one folder form one log, whose heads are in the folder's
 * `audit-heads`. The configured log has its configured heads.
 * @param words data directories or copies of them, and files of logs, those of one log oldest first. Default: the
 *   configured log.
 * @throws Error if there is no such directory or file
 */
function logPlacesOf(config: Config, words: readonly string[]): LogPlace[] {
  const { file, heads } = auditFilesOf(config);
  if (words.length === 0) return [{ files: [file], heads }];
  const own = dirname(resolve(file));
  const files = words.map((word) => fileNamed(word, basename(file)));
  return [...Map.groupBy(files, dirname)].map(([folder, ofOne]) => ({
    files: ofOne,
    heads: folder === own ? heads : join(folder, basename(heads)),
  }));
}

/** Explains why the configured log is missing: it was moved away, or no server has written it. */
const missingLogAdvice = (configured: AuditFiles): string =>
  hasHeads(configured)
    ? `${configured.heads} has the heads of its chains, so it was removed or moved away. If it was moved, name its files.`
    : 'A server creates it with the first call that it records. Check --data-dir and --audit-file.';

/**
 * The files to read: those of the command line, or the configured one.
 * @param isPresent whether there is one
 * @throws Error that names one that is missing, UnreadablePath for one that can't be read
 */
function filesOf(
  configured: AuditFiles,
  words: readonly string[],
  isPresent: (path: string) => boolean = isReadableFile,
): readonly string[] {
  const files = words.length > 0 ? words : [configured.file];
  const missing = files.find((file) => !isPresent(file));
  if (missing === undefined) return files;
  throw new Error(`There is no log at ${missing}.${words.length > 0 ? '' : ` ${missingLogAdvice(configured)}`}`);
}

const cells = (call: RecordedCall): Cell[] => [
  timeCell(call.at),
  recordedCallerText(call),
  call.tool,
  recordedTargetText(call),
  riskCell(call.tier ?? ''),
  call.confirmed ?? '',
  outcomeCell(call.outcome ?? 'not recorded'),
  call.why ?? '',
  call.duration_ms === undefined ? '' : `${call.duration_ms} ms`,
];

const heading = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why', 'took'];

/** `infra-mcp audit show`: prints the newest calls, oldest first. @throws Error if a file of the log is missing */
export async function auditShowCommand(
  config: Config,
  files: readonly string[],
  { json, limit }: { json?: boolean; limit: number },
): Promise<void> {
  const read = filesOf(auditFilesOf(config), files);
  const calls = await withProgress('Reading the audit log', () => readCalls(read, limit));
  if (!json && calls.length === 0)
    return void process.stdout.write(wrapped(clean(`No calls are recorded in ${read.join(', ')}.\n`)));
  process.stdout.write(
    json
      ? calls.map((call) => `${JSON.stringify(call)}\n`).join('')
      : columns(heading, calls.map(cells), { titles: 3 }),
  );
}

const linesOf = (faults: LogVerification['faults']): string =>
  faults.map(({ where, what }) => `${where === undefined ? '' : `${where}: `}${what}\n`).join('');

const verdictText = ({ entries, chains, faults, notes = [] }: LogVerification): string => {
  if (entries === 0 && faults.length === 0) return 'The audit log has no entries, so there is nothing to verify.\n';
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${chains} ${chains === 1 ? 'process' : 'processes'}`;
  const result =
    faults.length === 0
      ? `The audit log is whole: ${size}.`
      : `The audit log is not as it was written: ${faults.length} found in ${size}.`;
  return `${linesOf(notes)}${linesOf(faults)}${result}\n${blindSpot}\n`;
};

/** Those of a database that no server has used. */
const noAnchors: Pick<ChainAnchors, 'all'> = { all: async () => [] };

/** Verifies the configured log or, with a database, those of all given servers. Creates neither keys nor files. */
async function verify(config: Config, words: readonly string[]): Promise<LogVerification> {
  const configured = auditFilesOf(config, keysFromExistingFile(keyFilesOf(config.keysDir).guard));
  // With a database, they may be data directories.
  const files = filesOf(configured, words, config.databaseUrl === undefined ? isReadableFile : isThere);
  if (config.databaseUrl === undefined && isUnused(configured, files)) return { entries: 0, chains: 0, faults: [] };
  const keys = configured.keys();
  if (config.databaseUrl === undefined) return verifyLog(files, configured.heads, keys);
  const shared = await openExistingSharedStore(config);
  try {
    return await verifyLogs(logPlacesOf(config, words), keys, shared?.anchors ?? noAnchors);
  } finally {
    await shared?.close();
  }
}

/** The verdict, with the likely cause in place of a fault for every entry if the keys are probably another log's. */
const explained = ({ hasOtherKeys, ...verdict }: LogVerification, { keysDir }: Config): LogVerification =>
  hasOtherKeys
    ? {
        ...verdict,
        faults: [
          {
            what: `No entry verifies: ${keyFilesOf(keysDir).guard} is probably not the key that sealed this log, unless all of it was replaced. Name the directory of its server's guard.key with --keys-dir.`,
          },
        ],
      }
    : verdict;

/**
 * `infra-mcp audit verify`: checks that the log was not modified. The exit code is 1 if it was.
 * @param words files of the log; with a database, also data directories of servers.
 * @throws Error if a file of the log, or the key that sealed it, is missing
 */
export async function auditVerifyCommand(
  config: Config,
  words: readonly string[],
  { json }: { json?: boolean },
): Promise<void> {
  const verdict = await withProgress('Checking the audit log', async () =>
    explained(await verify(config, words), config),
  );
  process.stdout.write(
    json ? `${JSON.stringify({ ...verdict, cannot_tell: blindSpot })}\n` : wrapped(clean(verdictText(verdict))),
  );
  if (verdict.faults.length > 0) process.exitCode = 1;
}
