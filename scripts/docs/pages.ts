import { argumentsOf } from '../../src/cli/commands/tools.ts';
import { linkedPages, type OptionHelp, optionHelp, pageLink } from '../../src/cli/config/index.ts';
import type { AnyOperation } from '../../src/contract/index.ts';
import { described, needsConfirmation } from '../../src/server/guard/index.ts';
import { isDocumented, permissionOf, toolsets, type Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

const yes = (value: boolean): string => (value ? 'yes' : '');
const request = ({ method, path }: AnyOperation): string => code(`${method} ${path}`);

/** A text whose links to pages lead to those beside it. */
const withNearLinks = (text: string): string =>
  linkedPages.reduce((changed, page) => changed.replaceAll(pageLink(page), `[${page}](${page}.md)`), text);

const optionCells = ({ env, flag, value, description, defaultText, commands }: OptionHelp): string[] => [
  code(env),
  flag === undefined ? '' : code(value === undefined ? flag : `${flag} <${value}>`),
  withNearLinks(description),
  defaultText === undefined ? '' : defaultText.includes(' ') ? defaultText : code(defaultText),
  commands.join(', '),
];

const optionTable = (options: readonly OptionHelp[]): string =>
  markdownTable(['Environment', 'Flag', 'What it does', 'Default', 'Commands'], options.map(optionCells));

/** docs/configuration.md */
export const configurationPage = (): string => `# Configuration

For operators: every option. Set options as environment variables or flags; a flag takes precedence. Options without a flag are secret: other users can see command lines. Booleans are \`true\`, \`false\`, \`1\` or \`0\`.
Invalid options abort startup: an unknown flag, an invalid or empty value, a placeholder such as \`\${TOKEN}\` that the client did not replace,
or an \`INFRA_…\` variable that looks like a misspelled option. Any other
unknown \`INFRA_…\` variable only causes a warning on stderr. A base URL without a token, or a token without a base URL, aborts startup too: the
server never falls back from a remote platform to the embedded one.

${optionTable(optionHelp)}

## Proxies

All requests over HTTP go through the proxy that the environment names, except those to this machine. \`infra-mcp doctor\` says which goes where, and \`infra-mcp doctor platform\` does so for the servers of the clusters file.

${markdownTable(
  ['Variable', 'What it names'],
  [
    [code('HTTPS_PROXY'), 'the proxy for https addresses'],
    [code('HTTP_PROXY'), 'the proxy for http addresses, and only for these'],
    [code('ALL_PROXY'), 'the proxy for both, where the variable above is not set'],
    [
      code('NO_PROXY'),
      'hosts that are reached without it, separated by commas, spaces, semicolons or vertical bars: `example.com` and `.example.com` (with their subdomains), `*.example.com` (only these), other patterns such as `*example.com` and `192.168.*`, addresses, networks such as `10.0.0.0/8`, each but networks perhaps with a port; `*` for all. Of a URL, the host and port count',
    ],
  ],
)}

The names may be in lower case, which takes precedence; an empty variable counts as unset. A proxy is written like \`http://user:password@proxy.example.com:3128\`:
\`http\`, \`https\` or \`socks5\`, without a scheme \`http\`. User name and password are percent-encoded, and never shown. A proxy whose address can't be read aborts startup. An entry of \`NO_PROXY\` that can't be read is ignored, with a warning on stderr and in \`infra-mcp doctor\`.

A proxy resolves host names by itself, so the embedded platform protects internal addresses before it asks one:

- The host of a webhook, or of a Helm repository whose charts are listed, is resolved here first, and refused if it is private or can't be resolved. For https, the proxy is given the name, and the certificate proves that it is the same host. For http, it is given the address that was checked. With \`--allow-private-webhook-targets\`, the proxy resolves all names. Webhooks don't go through SOCKS without it.
- The same holds for git over https. Git servers with \`private: true\` need not be known to the name servers here.
- Git over ssh, PostgreSQL, Docker engines and their nodes are reached directly.

## Encodings of responses

Responses in gzip, br, deflate or zstd are decoded, although none is asked for: gateways send them unasked. Limits of size apply to what is decoded, while it arrives. A response in another encoding fails with its name.
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
const effectText = ({ effect, effectIfHidden }: AnyOperation): string =>
  effectIfHidden === effect ? effect : `${effect}, ${effectIfHidden} where it loses or replaces something unseen`;

const toolSection = (tool: Tool): string => {
  const { title, description, inputSchema } = described(tool);
  const rows = argumentsOf(inputSchema, code).map(({ name, type, isRequired, description: meaning }) => [
    code(name),
    type,
    yes(isRequired),
    meaning,
  ]);
  const { effect } = tool.operation;
  return [
    `### ${tool.name}`,
    ...(title === undefined ? [] : [`*${title}*`]),
    isDocumented(tool) ? description : `${description} Some platforms lack this.`,
    `Effect: ${effectText(tool.operation)}${needsConfirmation(effect) ? ', asks the user first' : ''}. Token permission: ${permissionOf(tool)}. ${tool.operations.length > 1 ? 'Requests' : 'Request'}: ${tool.operations.map(request).join(', ')}.`,
    rows.length === 0 ? 'Takes no arguments.' : markdownTable(['Argument', 'Type', 'Required', 'Meaning'], rows),
  ].join('\n\n');
};

/** docs/tools.md */
export const toolsPage = (): string => `# Tools

For users of an assistant, and for operators who choose what it gets. ${tools.length} tools: ${tools.filter(isDocumented).length} for documented operations, ${tools.filter((tool) => !isDocumented(tool)).length} for operations outside the API document.
The effect of a tool is ${code('read')}, ${code('write')} (adds something), ${code('disruptive')}, ${code('destructive')} or ${code('sensitive')}. Disruptive, destructive and
sensitive calls ask the user first. Any change to a PRODUCTION environment, or to one whose mode can't be read, counts as at least disruptive.

${toolsets
  .flatMap((toolset) => {
    const own = tools.filter((tool) => tool.toolset === toolset);
    return own.length === 0 ? [] : [`## ${toolset}`, ...own.map(toolSection)];
  })
  .join('\n\n')}
`;
