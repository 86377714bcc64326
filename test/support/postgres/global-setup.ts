import { leftOut } from './left-out.ts';
import { startPostgresServer } from './server.ts';
import { createEmptyTemplate, serverVariable } from './test-databases.ts';

/** Starts the server that a suite's platforms keep their records in, and tells what the suite leaves out. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgresServer();
  process.env[serverVariable] = server.addressOf('postgres');
  await createEmptyTemplate();
  for (const [file, reason] of Object.entries(leftOut)) process.stdout.write(`left out: ${file}: ${reason}\n`);
  return () => server.stop();
}
