import type { Config } from '../config/index.ts';
import { blindSpot, readCalls, recordedTargetText, verifyLog, type LogVerification, type RecordedCall } from '../../server/audit/index.ts';
import { clean } from '../../server/redaction/index.ts';
import { columns } from '../terminal/columns.ts';
import { auditFilesOf } from '../wiring/guard.ts';
import { withProgress } from '../terminal/progress.ts';
import { outcomeText, riskText } from '../terminal/style.ts';

const filesOf = (config: Config, files: readonly string[]): readonly string[] => (files.length > 0 ? files : [auditFilesOf(config).file]);

const oneLine = (text: string): string => clean(text).replaceAll('\n', ' ');

const cells = (call: RecordedCall): string[] => [
  ...[call.at, call.who, call.tool, recordedTargetText(call)].map(oneLine),
  riskText(oneLine(call.tier ?? '')),
  oneLine(call.confirmed ?? ''),
  outcomeText(call.outcome ?? 'not recorded'),
  oneLine(call.why ?? ''),
  call.duration_ms === undefined ? '' : `${call.duration_ms} ms`,
];

const heading = ['time', 'who', 'tool', 'target', 'tier', 'confirmed', 'outcome', 'why', 'took'];

/** `infra-mcp audit show`: prints the newest calls, oldest first. */
export async function auditShowCommand(config: Config, files: readonly string[], { json, limit }: { json?: boolean; limit: number }): Promise<void> {
  const calls = await readCalls(filesOf(config, files), limit);
  process.stdout.write(json ? calls.map((call) => `${JSON.stringify(call)}\n`).join('') : columns(heading, calls.map(cells)));
}

const linesOf = (faults: LogVerification['faults']): string => faults.map(({ where, what }) => `${where === undefined ? '' : `${where}: `}${what}\n`).join('');

const verdictText = ({ entries, chains, faults, notes = [] }: LogVerification): string => {
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'} of ${chains} ${chains === 1 ? 'process' : 'processes'}`;
  const result = faults.length === 0 ? `The audit log is whole: ${size}.` : `The audit log is not as it was written: ${faults.length} found in ${size}.`;
  return `${linesOf(notes)}${linesOf(faults)}${result}\n${blindSpot}\n`;
};

/** `infra-mcp audit verify`: checks that the log was not modified. The exit code is 1 if it was. */
export async function auditVerifyCommand(config: Config, files: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const { heads, keys } = auditFilesOf(config);
  const verdict = await withProgress('Checking the audit log', () => verifyLog(filesOf(config, files), heads, keys()));
  process.stdout.write(json ? `${JSON.stringify({ ...verdict, cannot_tell: blindSpot })}\n` : clean(verdictText(verdict)));
  if (verdict.faults.length > 0) process.exitCode = 1;
}
