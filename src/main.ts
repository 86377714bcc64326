import { config as configureSchemas } from 'zod';
import { runWithConfig } from './cli/wiring/run-with-config.ts';

const args = process.argv.slice(2);

/** As most assistants start it: with nothing to parse, the parser is not loaded. */
const isBare = args.length === 0 || (args.length === 1 && args[0] === 'stdio');

// One client doesn't check enough to make up for compiling the checks.
if (isBare) configureSchemas({ jitless: true });

try {
  if (isBare) await runWithConfig('stdio', {}, async (config) => (await import('./cli/commands/stdio.ts')).stdioCommand(config));
  else await (await import('./cli/commands/cli.ts')).runCli(args);
} catch (error) {
  process.stderr.write(`infra-mcp: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
