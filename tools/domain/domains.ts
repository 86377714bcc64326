import * as z from 'zod';
import { CustomDomainRequest, type AnyOperation, type DomainKind } from '../../src/contract/index.ts';
import {
  anyService,
  composeTool,
  isRecord,
  pruneRecord,
  show,
  type JsonRecord,
  naming,
  reading,
  rowsIn,
  textOf,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { serviceSubject } from '../shared/any-service.ts';
import {
  checkReads,
  domainKindOf,
  domainOperations,
  planDomain,
  withRecords,
  listDomains,
  listReads,
  planDeletion,
} from '../shared/custom-domains.ts';

const { generate_certificate, use_cdn } = CustomDomainRequest.shape;

function recordText({ record, use_cdn: usesCdn, entered, check }: JsonRecord): string[] {
  if (!isRecord(record)) return ['Not known: what has to be entered at the name servers. The platform does not tell.'];
  const { type, name, value } = record;
  const text = `${String(type)} ${String(name)} → ${String(value)}${usesCdn === true ? ' (or the record that the CDN asks for, with this as its origin)' : ''}`;
  if (entered === 'yes') {
    // The check may only compare load balancer hosts, which services share.
    return [
      `Record at the name servers: ${text}`,
      `Entered: yes, by the platform's check (${show(check)}). If the domain led to another service before, see that the record holds this value.`,
    ];
  }
  return [
    `To enter at the name servers: ${text}`,
    `Entered: ${String(entered)} (${check === undefined ? 'the platform did not tell' : show(check)})`,
  ];
}

export const createCustomDomain = composeTool({
  name: 'create_custom_domain',
  toolset: 'services',
  title: 'Custom hostname: serve a site, point a domain',
  description: 'Add or attach your own custom domain (www …) for a service, with its DNS record.',
  input: {
    service: anyService(),
    domain: CustomDomainRequest.shape.domain,
    generate_certificate: generate_certificate.default(true),
    use_cdn,
  },
  operations: [domainOperations.create.application, domainOperations.create.container, domainOperations.create.helm],
  expand: async (args, context) => {
    const subject = serviceSubject(context);
    return [
      planDomain(domainKindOf(context, subject), subject.id, {
        domain: args.domain,
        generate_certificate: args.generate_certificate,
        use_cdn: args.use_cdn,
      }),
    ];
  },
  reads: checkReads,
  output: z.object({
    domain: z.string(),
    id: z.string(),
    record: z.object({}),
    entered: z.string(),
    check: z.string(),
  }),
  answer: async (_, context, [created = {}]) => {
    const subject = serviceSubject(context);
    const [made = {}] = await withRecords(context, domainKindOf(context, subject), subject.id, [created]);
    return pruneRecord({ service: subject.path ?? subject.id, ...made });
  },
  render: {
    view: (answer) => answer,
    text: ({ service, domain: name, id, generate_certificate: certificate, ...made }) =>
      [
        `${show(name)} belongs to ${show(service)} now (${id === undefined ? 'its id is not told' : `id ${show(id)}`}).`,
        ...recordText(made),
        ...(made['error_details'] === undefined ? [] : [`error_details: ${show(made['error_details'])}`]),
        ...(certificate === undefined ? [] : [`generate_certificate: ${show(certificate)}`]),
      ].join('\n'),
    keep: 'first',
  },
  next: ({ service }) => [
    {
      tool: 'deploy_service',
      arguments: { service },
      why: 'if the domain does not answer: some platforms need a deployment for it',
    },
  ],
});

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
      `the list of the ${kind}'s domains does not show ${wanted}`,
      naming`Give one that it has; ${'get_service'} shows them.`,
      known === '' ? 'it shows none' : `it shows ${known}`,
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
  description: 'Detach, take off, remove an old, unused domain of a service.',
  input: { service: anyService(), domain: z.string().min(1).describe('As listed.') },
  operations: [domainOperations.delete.application, domainOperations.delete.container, domainOperations.delete.helm],
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
