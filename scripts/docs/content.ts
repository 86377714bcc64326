import { join } from 'node:path';
import { uriParts } from '../../src/server/resolve/index.ts';
import { pointsAt } from '../../src/server/tool/index.ts';
import { allResources, isPlatformResource, mostWatched, textsIn, variablesOf, type Resource } from '../../src/server/browse/index.ts';
import { code, markdownTable } from './markdown.ts';

const completedWith = (resource: Resource): string =>
  variablesOf(resource.uri)
    .map((variable) => `${code(variable)}: ${(isPlatformResource(resource) && pointsAt(resource.tool.input[variable])) || 'kinds of services'}`)
    .join(', ');

const resourceRow = (resource: Resource): string[] => [
  code(resource.uri),
  resource.description,
  completedWith(resource),
  isPlatformResource(resource) && resource.watched ? 'yes' : '',
];

/** docs/resources.md: resources, prompts and skills. */
export async function contentPage(): Promise<string> {
  const prompts = [...(await textsIn(join(import.meta.dirname, '../..')).prompts()).values()];
  const promptRow = ({ name, title, description, arguments: args }: (typeof prompts)[number]): string[] => [
    code(name),
    title,
    description,
    Object.entries(args).map(([argument, { required }]) => `${code(argument)}${required ? '' : ' (optional)'}`).join(', '),
  ];
  return `# Resources, prompts and skills

## Resources

Resources can be read in addition to calling tools. Replace a variable with an id or a path of names: ${code('infra://environment/shop/staging/status')}. A path
can also be written as one segment: ${code('infra://environment/shop%2Fstaging/status')}. This is required only if its last name is one of
${uriParts.map(code).join(', ')}. A resource shows nothing that the policy denies to tools. Variables can be completed by name and by id.

${markdownTable(['URI', 'Content', 'Variables', 'Reports changes'], allResources.map(resourceRow))}

Clients are notified of changes after ${code('resources/subscribe')} (2025 revisions) or on a ${code('subscriptions/listen')} stream (2026-07-28). The server polls each resource
once for all subscribers with the same rights, and only while somebody subscribes to it. It polls soon after a call of this server that changed something, every
few seconds while a watched operation is in progress, and rarely otherwise. Polling uses at most half of the remaining request budget; while more than half of the
whole budget remains, it may use that share faster for operations in progress. One caller can watch at most ${mostWatched} resources.

Lists of tools, resources, prompts and skills have a single page, because they are short and clients need all of it. The server never returns a cursor, and rejects any that it receives.

## Prompts

${markdownTable(['Prompt', 'Title', 'Purpose', 'Arguments'], prompts.map(promptRow))}

A prompt includes the current data of its subject. Its steps are those of the skill of the same name.

## Skills

Each prompt has a skill of the same name, at ${code('skill://<name>/SKILL.md')}, for clients that support the skills extension. Other clients can read it as a resource.
`;
}
