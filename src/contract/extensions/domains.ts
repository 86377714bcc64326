import * as z from 'zod';
import { operation } from '../operation.ts';
import { listOf, pageQuery } from '../primitives.ts';
import { CustomDomain, CustomDomainCheck, CustomDomainRequest, type DomainKind } from '../resources/custom-domain.ts';
import { undocumented, read } from './common.ts';

const listDomains = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...read,
    name: `list_${kind}_domains`,
    path: `/${kind}/{${kind}Id}/customDomain`,
    query: pageQuery,
    response: listOf(CustomDomain),
    summary: `List the domains of one service of kind ${kind}.`,
  });

const checkDomains = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...read,
    name: `get_${kind}_domain_check`,
    path: `/${kind}/{${kind}Id}/checkCustomDomain`,
    response: z.object({ results: z.array(CustomDomainCheck) }),
    summary: `Ask the name servers whether the domains of one service of kind ${kind} point to it.`,
  });

const createDomain = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `create_${kind}_domain`,
    method: 'POST',
    path: `/${kind}/{${kind}Id}/customDomain`,
    body: CustomDomainRequest,
    response: CustomDomain,
    effect: 'write',
    target: kind,
    creates: { kind: 'custom_domain', in: kind },
    summary: `Give one service of kind ${kind} a domain of its own.`,
  });

const deleteDomain = <const Kind extends DomainKind>(kind: Kind) =>
  operation({
    ...undocumented,
    name: `delete_${kind}_domain`,
    method: 'DELETE',
    path: `/${kind}/{${kind}Id}/customDomain/{customDomainId}`,
    effect: 'destructive',
    target: kind,
    summary: `Take a domain from one service of kind ${kind}.`,
  });

/** Operations outside the API document: custom domains. */
export const domainExtensions = {
  list_application_domains: listDomains('application'),
  list_container_domains: listDomains('container'),
  list_helm_domains: listDomains('helm'),
  get_application_domain_check: checkDomains('application'),
  get_container_domain_check: checkDomains('container'),
  get_helm_domain_check: checkDomains('helm'),
  create_application_domain: createDomain('application'),
  create_container_domain: createDomain('container'),
  create_helm_domain: createDomain('helm'),
  delete_application_domain: deleteDomain('application'),
  delete_container_domain: deleteDomain('container'),
  delete_helm_domain: deleteDomain('helm'),
} as const;
