import manifest from '../../../package.json' with { type: 'json' };
import { commandLine, launchOf, typedProgram } from '../init/launch.ts';
import { addingCommands, assistants } from '../init/assistants.ts';
import type { Config } from '../config/index.ts';
import { typedCommand } from '../wiring/typed-command.ts';
import { wrapped } from './lines.ts';
import { styled } from './style.ts';

/** Text wrapped to the width of the terminal. */
const prose = (text: string): string => wrapped(text, process.stderr);

/** A command stays on one line, however long, so that it can be copied. */
const command = (line: string, does: string): string =>
  `  ${styled('cyan', line, process.stderr)}\n${prose(`      ${does}\n`)}`;

/**
 * The lines with the commands of assistants that add the server; the error if this program can't be started from
 * elsewhere.
 */
function addingLines(): string[] {
  try {
    const launch = launchOf();
    return addingCommands(assistants, launch).map(({ title, line }) => command(commandLine(line), `connects ${title}`));
  } catch (error) {
    return [prose(`  ${(error as Error).message}\n`)];
  }
}

/**
 * The text for a person who starts the server in a terminal: what it waits for, how to connect to it, and other
 * commands.
 * @param config of the server, which the commands keep
 */
export function waitingText(config: Config): string {
  return [
    prose(
      `${styled('bold', `infra-mcp ${manifest.version}`, process.stderr)} waits for an MCP client on stdin. Assistants start it themselves: there is nothing to type here.\n`,
    ),
    '\nConnect an assistant:\n',
    command(typedCommand(config, 'init'), 'finds the assistants of this machine, and asks before it changes anything'),
    ...addingLines(),
    '\nElsewhere:\n',
    command(typedCommand(config, 'doctor'), 'checks the setup'),
    command(typedCommand(config, 'tools'), 'lists the tools'),
    command(`${typedProgram()} --help`, 'lists all commands'),
    '\nCtrl-C ends it.\n',
  ].join('');
}

/** The text for a person who types something that isn't a message. */
export const typedText = (): string =>
  prose(
    'That is not a message of the protocol: this is a server for MCP clients, not a shell. Ctrl-C ends it, and the lines above say how to go on.\n',
  );
