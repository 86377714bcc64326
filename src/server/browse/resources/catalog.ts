import { approvalResource } from './approval-resource.ts';
import { denialOf, type Policy } from '../../guard/index.ts';
import { omit, type JsonRecord } from '../../json/index.ts';
import { uriTemplateOf, variablesOf, type ListedResource } from './mcp-resources.ts';
import { serverResources } from './server-resources.ts';
import { isOwnResource, isPlatformResource, type Resource } from './resource.ts';
import { serviceResources } from './service-resources.ts';
import { organizationResources } from './organization-resources.ts';

/** Every resource, those with the fewest URI variables first. */
export const allResources: readonly Resource[] = [
  ...organizationResources,
  ...serviceResources,
  ...serverResources,
  approvalResource,
].toSorted((one, other) => variablesOf(one.uri).length - variablesOf(other.uri).length);

/** The part of a template up to its last variable: the URI of the resource itself, without a part such as `/logs`. */
const resourcePart = /^.*\{\+?\w+\}/;

/**
 * The arguments of a resource at a URI: its last variable gets the URI up to it, which also contains the kind.
 * Undefined if the URI doesn't match the resource.
 */
function argumentsAt(resource: Resource, uri: string): JsonRecord | undefined {
  const template = uriTemplateOf(resource.uri);
  if (!template) return resource.uri === uri ? {} : undefined;
  if (!template.uriTemplate.match(uri)) return undefined;
  const [prefix] = resourcePart.exec(resource.uri) ?? [''];
  const suffixLength = resource.uri.length - prefix.length;
  return { [variablesOf(resource.uri).at(-1)!]: suffixLength === 0 ? uri : uri.slice(0, -suffixLength) };
}

/** The resource at a URI, and its arguments. If several match, the one with the longest template wins. */
export function resourceAt(uri: string): { readonly resource: Resource; readonly args: JsonRecord } | undefined {
  const matches = allResources.flatMap((resource) => {
    const args = argumentsAt(resource, uri);
    return args ? [{ resource, args }] : [];
  });
  return matches.toSorted((one, other) => other.resource.uri.length - one.resource.uri.length)[0];
}

/** Whether the policy has no rules that could deny a read. */
const allowsAllReads = (policy: Policy): boolean =>
  Object.values(omit({ ...policy }, ['readOnly'])).every(
    (rules) => rules === undefined || (Array.isArray(rules) && rules.length === 0),
  );

/** Whether the policy allows reading a resource. Others aren't listed either. */
export const isAllowed = (resource: Resource, policy: Policy): boolean =>
  allowsAllReads(policy) || !isPlatformResource(resource) || denialOf(resource.tool, policy) === undefined;

/**
 * The list entries of the resources that the policy allows.
 * @param hasTexts without texts, the server's own resources aren't listed.
 */
export const listedResources = (policy: Policy, hasTexts: boolean): ListedResource[] =>
  allResources
    .filter((one) => isAllowed(one, policy) && (hasTexts || isPlatformResource(one) || isOwnResource(one)))
    .map(({ name, uri, title, description }) => ({ name, uri, title, description }));
