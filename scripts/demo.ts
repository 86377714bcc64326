/**
 * A demo for the terminal: an assistant operates infrastructure on a temporary embedded platform.
 * --json prints one line of JSON for each event; --time-scale 0 makes deployments instant. With --docker everything is
 *   real:
 * --engine is the address of a Docker engine in swarm mode, and --image name=image replaces one of the images redis,
 *   proxy and base, where the public registry isn't reached.
 */
import { parseArgs } from 'node:util';
import { styled } from '../src/cli/terminal/style.ts';
import { connect } from './demo/assistant.ts';
import { terminalOutput, jsonOutput } from './demo/output.ts';
import { startMachine } from './demo/docker-machine.ts';
import { runDockerStory } from './demo/docker-story.ts';
import { scenario, runStory } from './demo/story.ts';
import { removeTemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

const {
  json,
  'time-scale': timeScale,
  docker,
  engine,
  image,
} = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    // Fast enough for a demo, slow enough to see the states.
    'time-scale': { type: 'string', default: '0.1' },
    docker: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'unix:///var/run/docker.sock' },
    image: { type: 'string', multiple: true, default: [] },
  },
}).values;
const show = json ? jsonOutput : terminalOutput;

/** The demo on a platform that simulates. @param directory has its files */
async function runSimulated(directory: string): Promise<void> {
  const assistant = await show.whileWaiting('Starting a server', () =>
    connect({ INFRA_DATA_DIR: directory, INFRA_TIME_SCALE: timeScale, INFRA_SCENARIO: scenario }, show),
  );
  try {
    show.emit({ event: 'chapter', title: 'A server, a fresh platform in it, and an MCP client' });
    show.emit({ event: 'text', text: `${await assistant.tools()} tools` });
    await runStory(assistant);
  } finally {
    await assistant.close();
  }
}

/** The demo on a Docker engine. @param directory has its files */
async function runReal(directory: string): Promise<void> {
  const images = Object.fromEntries(image.map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const machine = await show.whileWaiting('Starting a platform', () => startMachine(directory, { engine, images }));
  const assistant = await connect(
    { INFRA_DATA_DIR: directory, INFRA_BASE_URL: machine.url, INFRA_API_TOKEN: machine.token },
    show,
  );
  let left: readonly string[] = [];
  try {
    show.emit({ event: 'chapter', title: `A platform on the Docker engine at ${engine}, a server, and an MCP client` });
    await runDockerStory(assistant, machine);
  } finally {
    await assistant.close();
    left = await machine.end();
  }
  if (left.length > 0) throw new Error(`something is left on the engine: ${left.join(', ')}`);
}

const startedAt = Date.now();
const directory = await temporaryDirectory('infra-mcp-demo-');
try {
  await (docker ? runReal(directory) : runSimulated(directory));
  show.emit({
    event: 'chapter',
    title: `The end, after ${((Date.now() - startedAt) / 1000).toFixed(1)} seconds. Nothing of it is left on this machine.`,
  });
} catch (error) {
  console.error(`\n${styled('red', '✗', process.stderr)} The demo went wrong: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  removeTemporaryDirectory(directory);
}
