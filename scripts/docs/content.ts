import { join } from 'node:path';
import { uriParts } from '../../src/server/resolve/uri.ts';
import { pointsAt } from '../../src/server/tool/references.ts';
import { mostWatched } from '../../src/server/browse/resources/watches.ts';
import { allResources } from '../../src/server/browse/resources/catalog.ts';
import { variablesOf } from '../../src/server/browse/resources/mcp-resources.ts';
import { isPlatformResource, type Resource } from '../../src/server/browse/resources/resource.ts';
import { textsIn } from '../../src/server/browse/texts.ts';
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
  const promptRow = ({ name, title, description, arguments: taken }: (typeof prompts)[number]): string[] => [
    code(name),
    title,
    description,
    Object.entries(taken).map(([argument, { required }]) => `${code(argument)}${required ? '' : ' (optional)'}`).join(', '),
  ];
  return `# Resources, prompts and skills

## Resources

What can be read at an address, beside what tools answer. In place of a variable goes an id, or a path of names:
${code('infra://environment/shop/staging/status')}. Written as one segment, ${code('infra://environment/shop%2Fstaging/status')}, it is the same; that it has to be only where its
last name is one of ${uriParts.map(code).join(', ')}. A resource shows nothing that the policy denies to tools. Variables are completed by name and by id.

${markdownTable(['Address', 'Shows', 'Variables', 'Tells of changes'], allResources.map(resourceRow))}

Clients are told of changes after ${code('resources/subscribe')} (2025 revisions) or on a ${code('subscriptions/listen')} stream (2026-07-28). Each thing is looked at once, however many
listen to it with the same right; at once after a call of this server that changed something, every few seconds while anything that is watched is under way, seldom
otherwise. Of the requests that are left watching takes at most half; where more than half of the whole budget is left, what is under way may take that faster.
Nothing is looked at that nobody listens to. At most ${mostWatched} things are watched for one caller.

Lists of tools, resources, prompts and skills have one page each: they are short, and a client needs them whole. So no cursor is ever given out, and one that comes anyway is refused.

## Prompts

${markdownTable(['Prompt', 'Title', 'What it asks for', 'Arguments'], prompts.map(promptRow))}

What a prompt is about is read into it when it is asked for. Its steps are those of the skill of the same name.

## Skills

Each prompt has a skill of its name, at ${code('skill://<name>/SKILL.md')}, for clients that know the skills extension. Others read it as a resource.
`;
}
