import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { carryOut, resultOf } from './task.mjs';

const program = join(import.meta.dirname, 'node_modules/.bin/mcp-inspector');

const run = (args) =>
  new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, '--cli', '--format', 'json', '--quiet', ...args],
      { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (stdout.trim() === '') reject(new Error(stderr, { cause: error }));
        else resolve(JSON.parse(stdout).result);
      },
    );
  });

/** The server as arguments: before the method, and after it. */
const targetOf = ({ url, headers, command, args, env }) =>
  url === undefined
    ? [Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]), ['--', command, ...args]]
    : [
        [
          '--transport',
          'http',
          '--server-url',
          url,
          ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
        ],
        [],
      ];

// Each step is a command with a connection of its own.
await carryOut(async (server) => {
  const [before, after] = targetOf(server);
  const ask = (...method) => run([...before, '--method', ...method, ...after]);
  return {
    list: async () => (await ask('tools/list')).tools.map(({ name }) => name),
    call: async (name, args) =>
      resultOf(await ask('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))),
    read: async (uri) => (await ask('resources/read', '--uri', uri)).contents[0].text,
    close: async () => undefined,
  };
});
