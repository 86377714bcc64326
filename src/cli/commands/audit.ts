import { existsSync } from 'node:fs';
import type { Config } from '../config/index.ts';
import {
  blindSpot,
  readCalls,
  recordedTargetText,
  verifyLog,
  verifyLogs,
  type LogVerification,
  type RecordedCall,
} from '../../server/audit/index.ts';
import { clean } from '../../server/redaction/index.ts';
import { columns } from '../terminal/columns.ts';
import { auditFilesOf } from '../wiring/guard.ts';
import { logPlacesOf } from '../wiring/log.ts';
import { openSharedStore } from '../wiring/shared-guard.ts';
import { withProgress } from '../terminal/progress.ts';
import { outcomeCell, riskCell, timeCell } from '../terminal/table-cells.ts';
import type { Cell } from '../terminal/cell.ts';
import { wrapped } from '../terminal/lines.ts';

const filesOf = (config: Config, files: readonly string[]): readonly string[] =>
  files.length > 0 ? files : [auditFilesOf(config).file];

const cells = (call: RecordedCall): Cell[] => [
  timeCell(call.at),
  call.who,
  call.tool,
  recordedTargetText(call),
  riskCell(call.tier ?? ''),
  call.confirmed ?? '',
  outcomeCell(call.outcome ?? 'not recorded'),
  call.why ?? '',
  call.duration_ms === undefined ? '' : `${call.duration_ms} ms`,
];

/** Explains why there is nothing to print. */
function emptyText(files: readonly string[]): string {
  const missing = files.filter((file) => !existsSync(file));
  return missing.length === 0
    ? `No calls are recorded in ${files.join(', ')}.\n`
    : `No calls are recorded: there is no ${missing.join(', ')}.\n`;
}

const heading = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why', 'took'];

/** `infra-mcp audit show`: prints the newest calls, oldest first. */
export async function auditShowCommand(
  config: Config,
  files: readonly string[],
  { json, limit }: { json?: boolean; limit: number },
): Promise<void> {
  const read = filesOf(config, files);
  const calls = await withProgress('Reading the audit log', () => readCalls(read, limit));
  if (!json && calls.length === 0) return void process.stdout.write(wrapped(clean(emptyText(read))));
  process.stdout.write(
    json
      ? calls.map((call) => `${JSON.stringify(call)}\n`).join('')
      : columns(heading, calls.map(cells), { titles: 3 }),
  );
}

const linesOf = (faults: LogVerification['faults']): string =>
  faults.map(({ where, what }) => `${where === undefined ? '' : `${where}: `}${what}\n`).join('');

const verdictText = ({ entries, chains, faults, notes = [] }: LogVerification): string => {
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${chains} ${chains === 1 ? 'process' : 'processes'}`;
  const result =
    faults.length === 0
      ? `The audit log is whole: ${size}.`
      : `The audit log is not as it was written: ${faults.length} found in ${size}.`;
  return `${linesOf(notes)}${linesOf(faults)}${result}\n${blindSpot}\n`;
};

/** Verifies the configured log or, with a database, those of all given servers. */
async function verify(config: Config, words: readonly string[]): Promise<LogVerification> {
  const { heads, keys } = auditFilesOf(config);
  const shared = await openSharedStore(config);
  if (!shared) return verifyLog(filesOf(config, words), heads, keys());
  try {
    return await verifyLogs(logPlacesOf(config, words), keys(), shared.anchors);
  } finally {
    await shared.close();
  }
}

/**
 * `infra-mcp audit verify`: checks that the log was not modified. The exit code is 1 if it was.
 * @param words files of the log; with a database, also data directories of servers.
 */
export async function auditVerifyCommand(
  config: Config,
  words: readonly string[],
  { json }: { json?: boolean },
): Promise<void> {
  const verdict = await withProgress('Checking the audit log', () => verify(config, words));
  process.stdout.write(
    json ? `${JSON.stringify({ ...verdict, cannot_tell: blindSpot })}\n` : wrapped(clean(verdictText(verdict))),
  );
  if (verdict.faults.length > 0) process.exitCode = 1;
}
