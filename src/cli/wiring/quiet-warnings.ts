/** Whether a warning says only that this Node version still calls its SQLite module experimental, as 22 does. */
const isAboutSqlite = ({ name, message }: Error): boolean =>
  name === 'ExperimentalWarning' && message.startsWith('SQLite is an experimental feature');

/**
 * Hides Node's warning that its SQLite module is experimental: users can't act on it, and it appears in the log of
 * every assistant. All other warnings are shown as before. Called first, before anything loads that module.
 */
export function hideSqliteWarning(): void {
  const shown = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (!isAboutSqlite(warning)) for (const show of shown) show(warning);
  });
}
