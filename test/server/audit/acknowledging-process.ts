import { auditLogIn } from './audit-log.ts';

// A process that records reads and changes until it is killed, and tells of each change that is recorded.
const log = auditLogIn(process.argv[2]!).auditLog();
for (let change = 1; ; change += 1) {
  void log.append({ tool: 'read' }, false);
  await log.append({ tool: 'change', change }, true);
  void log.append({ tool: 'read' }, false);
  process.stdout.write(`${change}\n`);
}
