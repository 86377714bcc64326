import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carryOut } from './task.mjs';

const program = join(import.meta.dirname, 'node_modules/.bin/mcporter');

// Each step is a command with a connection of its own.
await carryOut(async ({ url, headers, ...command }) => {
  const config = join(process.env.HOME, 'mcporter.json');
  await writeFile(
    config,
    JSON.stringify({ mcpServers: { infra: url === undefined ? command : { url, headers } }, imports: [] }),
  );
  const run = (...args) =>
    new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [program, '--config', config, ...args],
        { maxBuffer: 1 << 26 },
        (error, stdout, stderr) => {
          if (stdout.trim() === '') reject(new Error(stderr, { cause: error }));
          else resolve({ stdout, failed: error !== null });
        },
      );
    });
  const json = async (...args) => JSON.parse((await run(...args, '--json')).stdout);
  return {
    list: async () => (await json('list', 'infra')).tools.map(({ name }) => name),
    call: async (name, args) => {
      const { stdout, failed } = await run('call', `infra.${name}`, '--args', JSON.stringify(args));
      return { text: stdout, failed };
    },
    read: async (uri) => (await json('resource', 'infra', uri)).contents[0].text,
    close: async () => undefined,
  };
});
