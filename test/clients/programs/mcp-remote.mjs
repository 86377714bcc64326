import { join } from 'node:path';
import { connectSdk } from './sdk-client.mjs';
import { carryOut } from './task.mjs';

const bridge = join(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js');

// The header as its documentation has it for hosts that break arguments at spaces: the value is in a variable.
const bridgeTo = ({ url, headers }) => ({
  command: process.execPath,
  args: [bridge, url, '--header', 'Authorization:${AUTHORIZATION}'],
  env: { PATH: process.env.PATH, HOME: process.env.HOME, AUTHORIZATION: headers.Authorization },
});

await carryOut((server, answer) => connectSdk(bridgeTo(server), answer));
