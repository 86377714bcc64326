/**
 * A demo for the terminal: an assistant operates infrastructure on a temporary embedded platform.
 * --json prints one line of JSON for each event; --time-scale 0 makes deployments instant.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { styled } from '../src/cli/terminal/style.ts';
import { connect } from './demo/assistant.ts';
import { terminalOutput, jsonOutput } from './demo/output.ts';
import { scenario, runStory } from './demo/story.ts';

const { json, 'time-scale': timeScale } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    // Fast enough for a demo, slow enough to see the states.
    'time-scale': { type: 'string', default: '0.1' },
  },
}).values;
const show = json ? jsonOutput : terminalOutput;

const startedAt = Date.now();
const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-demo-'));
try {
  const assistant = await show.whileWaiting('Starting a server', () => connect({ INFRA_DATA_DIR: directory, INFRA_TIME_SCALE: timeScale, INFRA_SCENARIO: scenario }, show));
  try {
    show.emit({ event: 'chapter', title: 'A server, a fresh platform in it, and an MCP client' });
    show.emit({ event: 'text', text: `${await assistant.tools()} tools` });
    await runStory(assistant);
  } finally {
    await assistant.close();
  }
  show.emit({ event: 'chapter', title: `The end, after ${((Date.now() - startedAt) / 1000).toFixed(1)} seconds. Nothing of it is left on this machine.` });
} catch (error) {
  console.error(`\n${styled('red', '✗', process.stderr)} The demo went wrong: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true, force: true });
}
