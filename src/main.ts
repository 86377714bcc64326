import { config as configureSchemas } from 'zod';
import { runWithConfig } from './cli/wiring/run-with-config.ts';

/** Whether a warning says only that this Node version still calls its SQLite module experimental, as 22 does. */
const isAboutSqlite = ({ name, message }: Error): boolean =>
  name === 'ExperimentalWarning' && message.startsWith('SQLite is an experimental feature');

/**
 * Hides Node's warning that its SQLite module is experimental: users can't act on it, and it appears in the log of
 * every assistant. All other warnings are shown as before. Called first, before anything loads that module.
 */
function hideSqliteWarning(): void {
  const shown = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (!isAboutSqlite(warning)) for (const show of shown) show(warning);
  });
}

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
  (await import('./cli/terminal/lines.ts')).reportError(error);
  process.exitCode = 1;
}
