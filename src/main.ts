import { config as configureSchemas } from 'zod';
import { runWithConfig } from './cli/wiring/run-with-config.ts';

const args = process.argv.slice(2);

/** How most assistants start the program. Without arguments to parse, the parser is not loaded. */
const isBare = args.length === 0 || (args.length === 1 && args[0] === 'stdio');

// A single client validates too little to make up for the cost of compiling the schemas.
if (isBare) configureSchemas({ jitless: true });

try {
  if (isBare) await runWithConfig('stdio', {}, async (config) => (await import('./cli/commands/stdio.ts')).stdioCommand(config));
  else await (await import('./cli/commands/cli.ts')).runCli(args);
} catch (error) {
  process.stderr.write(`infra-mcp: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
