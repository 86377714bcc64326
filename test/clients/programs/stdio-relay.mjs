// Starts a program, passes everything on, and records both directions: <file of what the client sends> <file of the answers> <program> [arguments].
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [sent, received, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

const pass = (from, to, file) => {
  from.on('data', (chunk) => {
    appendFileSync(file, chunk);
    to.write(chunk);
  });
  from.on('end', () => to === process.stdout || to.end());
};
pass(process.stdin, child.stdin, sent);
pass(child.stdout, process.stdout, received);

// Clients end a server by closing its stdin, or by a signal.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.stdin.on('error', () => undefined);
child.on('close', (code) => process.exit(code ?? 1));
