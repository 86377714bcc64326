import { config as configureSchemas } from 'zod';
import { hideSqliteWarning } from './cli/wiring/quiet-warnings.ts';
import { runWithConfig } from './cli/wiring/run-with-config.ts';

hideSqliteWarning();

const args = process.argv.slice(2);

/** How most assistants start the program. Without arguments to parse, the parser is not loaded. */
const isBare = args.length === 0 || (args.length === 1 && args[0] === 'stdio');

// A single client validates too little to make up for the cost of compiling the schemas.
if (isBare) configureSchemas({ jitless: true });

try {
  if (isBare)
    await runWithConfig('stdio', {}, async (config) => (await import('./cli/commands/stdio.ts')).stdioCommand(config));
  else await (await import('./cli/commands/cli.ts')).runCli(args);
} catch (error) {
  (await import('./cli/terminal/report-error.ts')).reportError(error);
  process.exitCode = 1;
}
