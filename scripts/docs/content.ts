import { join } from 'node:path';
import { serviceKinds } from '../../src/contract/index.ts';
import { uriParts } from '../../src/server/resolve/index.ts';
import {
  allResources,
  isOwnResource,
  isWatchedResource,
  mostWatched,
  textsIn,
  type Resource,
} from '../../src/server/browse/index.ts';
import { progressKinds, waitingCallUri } from '../../src/server/guard/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { code, markdownTable } from './markdown.ts';

const resourceRow = (resource: Resource): string[] => [
  code(resource.uri),
  resource.description,
  isWatchedResource(resource) || isOwnResource(resource) ? 'yes' : '',
];

/** docs/resources.md: prompts, resources and skills. */
export async function contentPage(): Promise<string> {
  const prompts = [...(await textsIn(join(import.meta.dirname, '../..')).prompts()).values()];
  const promptRow = ({ name, title, description, arguments: args }: (typeof prompts)[number]): string[] => [
    code(name),
    title,
    description,
    Object.entries(args)
      .map(([argument, { required }]) => `${code(argument)}${required ? '' : ' (optional)'}`)
      .join(', '),
  ];
  return `# Prompts, resources and skills

For users of an assistant: what the server offers besides [tools](tools.md), in clients that show it.

## Prompts

Choose one, and the assistant gets the steps of a task and the current data of its subject.

${markdownTable(['Prompt', 'Title', 'Purpose', 'Arguments'], prompts.map(promptRow))}

Clients with the skills extension find the same steps at ${code('skill://<name>/SKILL.md')}; others can read them there as a resource.

## Resources

Replace a variable with an id or a path of names: ${code('infra://environment/shop/staging/status')}. A kind is ${serviceKinds.map(code).join(', ')}.
Ids and names can be completed. A resource shows nothing that the policy denies to tools.

${markdownTable(['URI', 'Content', 'Reports changes'], allResources.map(resourceRow))}

If the last name of a path is one of ${uriParts.map(code).join(', ')}, write the path as one segment: ${code('infra://environment/shop%2Fstatus')}.

## For developers of clients

Changes are reported after ${code('resources/subscribe')} (2025 revisions) or on a ${code('subscriptions/listen')} stream (2026-07-28), for at most ${mostWatched} resources of a caller. The server
polls a resource once for all subscribers with the same rights: soon after a call that changed something, every few seconds while an operation is in progress, rarely
otherwise. Polling takes at most half of the remaining request budget, except for operations in progress while more than half of the whole budget remains.

${code(waitingCallUri('{code}'))} is there for whoever made the call, at any server that shares its store, until an hour after the call ended. Changes are reported within
seconds, wherever somebody decided. It has its state as codes too, in ${code(`_meta["${metaKeys.approval}"]`)} of its contents: ${code('state')}, and where they apply
${['agreed', 'by', 'how', 'reason'].map(code).join(', ')}. The states are ${progressKinds.map(code).join(', ')}. The code is in the failure of the call ([errors](errors.md)).

Lists of tools, resources, prompts and skills have a single page. The server returns no cursor and rejects any that it receives.
`;
}
