import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { auditLogIn } from './audit-log.ts';

// A process that is killed in the middle of its second entry: that one goes into a pipe, which takes only its
// beginning.
const { file, auditLog } = auditLogIn(process.argv[2]!);
const log = auditLog();
await log.append({ tool: 'a' }, true);
renameSync(file, `${file}.1`);
execFileSync('mkfifo', [file]);
process.stdout.write('writing\n');
await log.append({ tool: 'b', text: 'x'.repeat(1_000_000) }, true);
