import { argumentsOf } from '../../src/cli/commands/tool-arguments.ts';
import { type OptionHelp, optionHelp } from '../../src/cli/config/read-config.ts';
import type { AnyOperation } from '../../src/contract/operation.ts';
import { allOperations } from '../../src/contract/operations.ts';
import { needsConfirmation } from '../../src/server/guard/risk/risk.ts';
import { listed } from '../../src/server/guard/tool-registry.ts';
import { isDocumented, permissionOf, toolsets, type Tool } from '../../src/server/tool/tool.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

const yes = (value: boolean): string => (value ? 'yes' : '');
const request = ({ method, path }: AnyOperation): string => code(`${method} ${path}`);
const documented = allOperations.filter((op) => op.documented);
const outside = allOperations.filter((op) => !op.documented);
const toolOf = (op: AnyOperation): Tool | undefined => tools.find(({ name, operation }) => operation === op && name === op.name);

const optionCells = ({ env, flag, value, description, defaultText: otherwise, commands }: OptionHelp): string[] => [
  code(env),
  flag === undefined ? '' : code(value === undefined ? flag : `${flag} <${value}>`),
  description,
  otherwise === undefined ? '' : otherwise.includes(' ') ? otherwise : code(otherwise),
  commands.join(', '),
];

const optionTable = (options: readonly OptionHelp[]): string =>
  markdownTable(['Environment', 'Flag', 'What it does', 'Default', 'Commands'], options.map(optionCells));

/** docs/configuration.md */
export const configurationPage = (): string => `# Configuration

Every option can be given as an environment variable, and all but secrets as a flag; the flag wins. Truth values are \`true\`, \`false\`, \`1\` or \`0\`.
An unknown flag, a value that is none of its kind, an empty value, or an \`INFRA_…\` variable whose name is nearly one of these stops the start. Other
\`INFRA_…\` variables are warned of on stderr and ignored. A base URL without a token, or a token without a base URL, stops the start too: nothing
ever falls back from a real platform to the embedded one.

${optionTable(optionHelp)}
`;

/** The tools by what they are about, for the README. */
export const toolsByToolset = (): string =>
  markdownTable(
    ['About', 'Tools'],
    toolsets.flatMap((toolset) => {
      const names = tools.filter((tool) => tool.toolset === toolset).map(({ name }) => code(name));
      return names.length === 0 ? [] : [[toolset, names.join(', ')]];
    }),
  );

const toolSection = (tool: Tool): string => {
  const { description, inputSchema } = listed(tool);
  const rows = argumentsOf(inputSchema, code).map(({ name, type, isRequired, description: meaning }) => [code(name), type, yes(isRequired), meaning]);
  const { effect } = tool.operation;
  return [
    `### ${tool.name}`,
    description,
    `Effect: ${effect}${needsConfirmation(effect) ? ', the user is asked first' : ''}. Token permission: ${permissionOf(tool)}. ${tool.operations.length > 1 ? 'Requests' : 'Request'}: ${tool.operations.map(request).join(', ')}.`,
    rows.length === 0 ? 'Takes no arguments.' : markdownTable(['Argument', 'Type', 'Required', 'Meaning'], rows),
  ].join('\n\n');
};

/** docs/tools.md */
export const toolsPage = (): string => `# Tools

${tools.length} tools: ${tools.filter(isDocumented).length} of documented operations, ${tools.filter((tool) => !isDocumented(tool)).length} of operations outside the document.
What a tool does to the platform is its effect: ${code('read')}, ${code('write')} (adds), ${code('disruptive')}, ${code('destructive')} or ${code('sensitive')}. From disruptive on,
the user is asked before anything happens. A change to a PRODUCTION environment, or to one whose mode can't be read, counts as disruptive at least.

${toolsets
  .flatMap((toolset) => {
    const own = tools.filter((tool) => tool.toolset === toolset);
    return own.length === 0 ? [] : [`## ${toolset}`, ...own.map(toolSection)];
  })
  .join('\n\n')}
`;

const operationRows = (operations: readonly AnyOperation[]): string[][] =>
  operations.map((op) => [code(op.name), request(op), op.effect, op.permission, String(op.status), yes(toolOf(op) !== undefined)]);
const operationHeading = ['Operation', 'Request', 'Effect', 'Permission', 'Success', 'Tool'];
const asTools = (operations: readonly AnyOperation[]): number => operations.filter(toolOf).length;

/** docs/operations.md */
export const operationsPage = (): string => `# Operations

What the embedded platform serves and the client can call, from the contract in \`src/contract/\`. The same as an OpenAPI document: [openapi.json](openapi.json).

## Documented

${documented.length} operations of the API document, in its order; ${asTools(documented)} of them are tools.

${markdownTable(operationHeading, operationRows(documented))}

## Outside the document

${outside.length} operations that platforms of this kind serve beside the documented ones; ${asTools(outside)} of them are tools. Another platform may not have them: a path is tried
once, and after a 404 or 405 that says the route is unknown the operation is taken as not offered there, and the caller is told.

${markdownTable(operationHeading, operationRows(outside))}
`;
