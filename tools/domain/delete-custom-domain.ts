import * as z from 'zod';
import {
  anyService,
  composeTool,
  naming,
  reading,
  rowsIn,
  show,
  textOf,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import type { AnyOperation, DomainKind } from '../../src/contract/index.ts';
import { serviceSubject } from '../shared/any-service.ts';
import { domainKindOf, domainOperations, listDomains, listReads, planDeletion } from '../shared/custom-domains.ts';

const { application, container, helm } = domainOperations.delete;

/** The id of one of the service's domains, by its name. */
async function domainIdOf(context: ToolContext, kind: DomainKind, id: string, wanted: string): Promise<string> {
  const domains =
    (await listDomains(context, kind, id)) ??
    context.refuse(`the domains of this ${kind} can't be read here`, 'Ask whoever runs the platform to delete it.');
  const found = domains.find((row) => textOf(row, 'domain')?.toLowerCase() === wanted.toLowerCase());
  const known = domains.map((row) => show(row['domain'])).join(', ');
  return (
    textOf(found, 'id') ??
    context.refuse(
      `the ${kind} has no domain ${wanted}`,
      naming`Give one that it has; ${'get_service'} shows them.`,
      known === '' ? 'it has none' : `it has ${known}`,
    )
  );
}

const goesAway: Preview = reading(listReads, async ({ custom_domain_id: wanted }, { target, reader }) => {
  const operation: AnyOperation = domainOperations.list[target.kind as DomainKind];
  const row = rowsIn(await reader.attempt<AnyOperation>(operation, { [`${target.kind}_id`]: target.id })).find(
    ({ id }) => id === wanted,
  );
  return [
    `${show(row?.['domain'] ?? 'The domain')} no longer leads to the service. Its record at the name servers stays there, and should be taken out, unless the domain moves to another service.`,
  ];
});

export const deleteCustomDomain = composeTool({
  name: 'delete_custom_domain',
  toolset: 'services',
  title: 'Remove a custom domain',
  description: 'Take a domain off a service, remove it.',
  input: { service: anyService(), domain: z.string().min(1).describe('As listed.') },
  operations: [application, container, helm],
  expand: async ({ domain }, context) => {
    const subject = serviceSubject(context);
    const kind = domainKindOf(context, subject);
    return [{ ...planDeletion(kind, subject.id, await domainIdOf(context, kind, subject.id, domain)), about: domain }];
  },
  reads: listReads,
  preview: goesAway,
  output: z.object({ service: z.string(), deleted: z.string() }),
  answer: async ({ domain }, context) => {
    const subject = serviceSubject(context);
    return { service: subject.path ?? subject.id, deleted: domain };
  },
  render: {
    view: (answer) => answer,
    text: ({ service, deleted }) =>
      `${String(deleted)} no longer belongs to ${String(service)}. Take its record out at the name servers, or, if the domain moves to another service, set it to the value that is told when it is added there.`,
    keep: 'first',
  },
});
