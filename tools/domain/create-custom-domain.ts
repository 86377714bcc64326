import * as z from 'zod';
import { CustomDomainRequest } from '../../src/contract/index.ts';
import { anyService, composeTool, isRecord, pruneRecord, show, type JsonRecord } from '../../src/server/tool/index.ts';
import { serviceSubject } from '../shared/any-service.ts';
import { checkReads, domainKindOf, domainOperations, planDomain, withRecords } from '../shared/custom-domains.ts';

const { domain, generate_certificate, use_cdn } = CustomDomainRequest.shape;
const { application, container, helm } = domainOperations.create;

function recordText({ record, use_cdn: usesCdn, entered, check }: JsonRecord): string[] {
  if (!isRecord(record)) return ['Not known: what has to be entered at the name servers. The platform does not tell.'];
  const { type, name, value } = record;
  const text = `${String(type)} ${String(name)} → ${String(value)}${usesCdn === true ? ' (or the record that the CDN asks for, with this as its origin)' : ''}`;
  if (entered === 'yes') {
    // The check may compare hosts of load balancers only, which services share.
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
  title: 'Add a domain, make it point to a service',
  description: 'Add or attach a domain of your own to a service. Tells which DNS record to set for it.',
  input: { service: anyService(), domain, generate_certificate: generate_certificate.default(true), use_cdn },
  operations: [application, container, helm],
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
