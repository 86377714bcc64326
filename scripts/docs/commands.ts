import { commands, groups } from '../../src/cli/commands/commands.ts';
import type { Command } from '../../src/cli/commands/command.ts';
import { choicesOf, flagOf, optionsOf } from '../../src/cli/config/index.ts';
import { code, markdownTable } from './markdown.ts';

const usage = ({ name, args = [] }: Command): string =>
  ['infra-mcp', name, ...args.map((argument) => argument.name)].join(' ');

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

/** Every command with its summary, for the README. */
export const commandTable = (): string =>
  markdownTable(
    ['Command', 'What it does'],
    commands.map(({ name, summary }) => [code(name), sentence(summary)]),
  );

const flagRows = ({ flags = {} }: Command): string[][] =>
  Object.entries(flags).map(([name, { value, description, schema }]) => {
    const choices = choicesOf(schema);
    return [
      code(value === undefined ? flagOf(name) : `${flagOf(name)} <${value}>`),
      `${description}${choices ? `: ${choices.map(code).join(', ')}` : ''}`,
    ];
  });

const section = (command: Command): string => {
  const { summary, args = [], takes, examines, examples } = command;
  const configuredCommand = takes ?? examines;
  const options = configuredCommand === undefined ? [] : optionsOf(configuredCommand).flatMap(({ flag }) => flag ?? []);
  const rows = [...args.map(({ name, description }) => [code(name), description]), ...flagRows(command)];
  return [
    `## ${usage(command)}`,
    sentence(summary),
    ...(rows.length > 0 ? [markdownTable(['', ''], rows)] : []),
    ...(options.length > 0 ? [`[Options](configuration.md): ${options.map(code).join(', ')}.`] : []),
    `\`\`\`sh\n${examples.map(({ line, does }) => `# ${does}\n${line}`).join('\n')}\n\`\`\``,
  ].join('\n\n');
};

/** docs/commands.md: every command, with its examples. */
export const commandsPage = (): string =>
  `${[
    '# Commands',
    'For operators: everything that can be typed. In a checkout, type `npm start --silent --` for `infra-mcp`.',
    `\`infra-mcp <command> --help\` shows the same text in the terminal. Commands that print data print JSON with \`--json\`. Tables fit into the terminal: what is too wide has short times, then stands below its first columns. Elsewhere a table has one line for each row. Output is coloured only in a terminal, and never if \`NO_COLOR\` is set. Command groups: ${Object.entries(
      groups,
    )
      .map(([name, does]) => `${code(name)} (${does})`)
      .join('; ')}.`,
    ...commands.map(section),
  ].join('\n\n')}\n`;
