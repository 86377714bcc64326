import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryForRecords } from '../../support/memory-directory.ts';
import { type AuditKeys, fileSink, verifyLog } from '../../../src/server/audit/index.ts';
import { createAuditLog, type AuditLog } from '../../../src/server/audit/audit-log.ts';
import { keysFromFile } from '../../../src/server/context/index.ts';

/** A folder of its own that is gone when the test ends. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(directoryForRecords, 'infra-mcp-audit-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The parts of a log in a folder. */
export function auditLogIn(folder: string) {
  const file = join(folder, 'audit.jsonl');
  const heads = join(folder, 'heads');
  const keysOfFolder = keysFromFile(join(folder, 'guard.key'));
  const keys = (): AuditKeys => ({ entries: keysOfFolder('audit'), heads: keysOfFolder('audit head') });
  return {
    file,
    heads,
    keys,
    auditLog: (): AuditLog => createAuditLog({ sink: fileSink(file), heads, keys }),
    verify: (files = [file]) => verifyLog(files, heads, keys()),
    text: () => readFile(file, 'latin1'),
    put: (text: string) => writeFile(file, text, 'latin1'),
  };
}

/** Adds entries in order to one new chain. */
export async function writeEntries(auditLog: AuditLog, entries: readonly object[]): Promise<void> {
  for (const entry of entries) await auditLog.append({ ...entry }, false);
  await auditLog.close();
}
