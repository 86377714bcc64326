import { argumentsOf } from '../../src/cli/commands/tool-arguments.ts';
import { type OptionHelp, optionHelp } from '../../src/cli/config/index.ts';
import { allOperations, type AnyOperation } from '../../src/contract/index.ts';
import { listed, needsConfirmation } from '../../src/server/guard/index.ts';
import { isDocumented, permissionOf, toolsets, type Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

const yes = (value: boolean): string => (value ? 'yes' : '');
const request = ({ method, path }: AnyOperation): string => code(`${method} ${path}`);
const documented = allOperations.filter((op) => op.documented);
const outside = allOperations.filter((op) => !op.documented);
const toolOf = (op: AnyOperation): Tool | undefined => tools.find(({ name, operation }) => operation === op && name === op.name);

const optionCells = ({ env, flag, value, description, defaultText, commands }: OptionHelp): string[] => [
  code(env),
  flag === undefined ? '' : code(value === undefined ? flag : `${flag} <${value}>`),
  description,
  defaultText === undefined ? '' : defaultText.includes(' ') ? defaultText : code(defaultText),
  commands.join(', '),
];

const optionTable = (options: readonly OptionHelp[]): string =>
  markdownTable(['Environment', 'Flag', 'What it does', 'Default', 'Commands'], options.map(optionCells));

/** docs/configuration.md */
export const configurationPage = (): string => `# Configuration

Set options as environment variables or flags; a flag takes precedence. Options without a flag are secret: other users can see command lines. Booleans are \`true\`, \`false\`, \`1\` or \`0\`.
Invalid options abort startup: an unknown flag, an invalid or empty value, or an \`INFRA_…\` variable that looks like a misspelled option. Any other
unknown \`INFRA_…\` variable only causes a warning on stderr. A base URL without a token, or a token without a base URL, aborts startup too: the
server never falls back from a remote platform to the embedded one.

${optionTable(optionHelp)}
`;

/** The tools of each toolset, for the README. */
export const toolsByToolset = (): string =>
  markdownTable(
    ['About', 'Tools'],
    toolsets.flatMap((toolset) => {
      const names = tools.filter((tool) => tool.toolset === toolset).map(({ name }) => code(name));
      return names.length === 0 ? [] : [[toolset, names.join(', ')]];
    }),
  );

/** The effect of an operation, and the one where not all that it replaces can be shown. */
const effectText = ({ effect, unseenEffect }: AnyOperation): string => (unseenEffect === effect ? effect : `${effect}, ${unseenEffect} where it loses or replaces something unseen`);

const toolSection = (tool: Tool): string => {
  const { description, inputSchema } = listed(tool);
  const rows = argumentsOf(inputSchema, code).map(({ name, type, isRequired, description: meaning }) => [code(name), type, yes(isRequired), meaning]);
  const { effect } = tool.operation;
  return [
    `### ${tool.name}`,
    description,
    `Effect: ${effectText(tool.operation)}${needsConfirmation(effect) ? ', asks the user first' : ''}. Token permission: ${permissionOf(tool)}. ${tool.operations.length > 1 ? 'Requests' : 'Request'}: ${tool.operations.map(request).join(', ')}.`,
    rows.length === 0 ? 'Takes no arguments.' : markdownTable(['Argument', 'Type', 'Required', 'Meaning'], rows),
  ].join('\n\n');
};

/** docs/tools.md */
export const toolsPage = (): string => `# Tools

${tools.length} tools: ${tools.filter(isDocumented).length} for documented operations, ${tools.filter((tool) => !isDocumented(tool)).length} for operations outside the API document.
The effect of a tool is ${code('read')}, ${code('write')} (adds something), ${code('disruptive')}, ${code('destructive')} or ${code('sensitive')}. Disruptive, destructive and
sensitive calls ask the user first. Any change to a PRODUCTION environment, or to one whose mode can't be read, counts as at least disruptive.

${toolsets
  .flatMap((toolset) => {
    const own = tools.filter((tool) => tool.toolset === toolset);
    return own.length === 0 ? [] : [`## ${toolset}`, ...own.map(toolSection)];
  })
  .join('\n\n')}
`;

const operationRows = (operations: readonly AnyOperation[]): string[][] =>
  operations.map((op) => [code(op.name), request(op), effectText(op), op.permission, String(op.status), yes(toolOf(op) !== undefined)]);
const operationHeading = ['Operation', 'Request', 'Effect', 'Permission', 'Success', 'Tool'];
const asTools = (operations: readonly AnyOperation[]): number => operations.filter(toolOf).length;

/** docs/operations.md */
export const operationsPage = (): string => `# Operations

The operations that the embedded platform serves and the client can call, generated from the contract in \`src/contract/\`. [openapi.json](openapi.json) describes the same as an OpenAPI document.

## Documented

${documented.length} operations of the API document, in its order. ${asTools(documented)} of them are tools.

${markdownTable(operationHeading, operationRows(documented))}

## Outside the document

${outside.length} operations that such platforms serve in addition to the documented ones. ${asTools(outside)} of them are tools. A platform may lack them: after a 404 or 405 for an
unknown route, the client treats the operation as not offered, doesn't try it again, and tells the caller.

${markdownTable(operationHeading, operationRows(outside))}
`;
