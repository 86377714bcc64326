/** A story for the terminal: an assistant runs infrastructure, on an embedded platform that is gone afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from './demo/assistant.ts';
import { tell } from './demo/story.ts';
import { bad, chapter, result } from './demo/terminal.ts';

/** Fast enough for a terminal, slow enough to see the states. */
const timeScale = '0.1';

const began = Date.now();
const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-demo-'));
try {
  const assistant = await connect({ INFRA_DATA_DIR: directory, INFRA_TIME_SCALE: timeScale });
  try {
    chapter('A server, a fresh platform in it, and an MCP client');
    result(`${await assistant.tools()} tools`);
    await tell(assistant);
  } finally {
    await assistant.close();
  }
  chapter(`The end, after ${((Date.now() - began) / 1000).toFixed(1)} seconds. Nothing of it is left on this machine.`);
} catch (error) {
  bad(`The demo went wrong: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
