import { denialOf, type Policy } from '../../guard/policy/policy.ts';
import { omit, type JsonRecord } from '../../json/values.ts';
import { uriTemplateOf, variablesOf, type ListedResource } from './mcp-resources.ts';
import { serverResources } from './server-resources.ts';
import { isPlatformResource, type Resource } from './resource.ts';
import { serviceResources } from './service-resources.ts';
import { organizationResources } from './organization-resources.ts';

/** Every resource: roots first, then what lies below them. */
export const allResources: readonly Resource[] = [...organizationResources, ...serviceResources, ...serverResources].toSorted(
  (one, other) => variablesOf(one.uri).length - variablesOf(other.uri).length,
);

/** What stands for the thing itself in a template: everything up to its last variable. */
const resourcePart = /^.*\{\+?\w+\}/;

/**
 * The arguments of a resource at an address: for its last variable the address of the thing, which tells more than the
 * variable alone. Undefined where the address isn't one of this resource.
 */
function argumentsAt(resource: Resource, uri: string): JsonRecord | undefined {
  const template = uriTemplateOf(resource.uri);
  if (!template) return resource.uri === uri ? {} : undefined;
  if (!template.uriTemplate.match(uri)) return undefined;
  const [pointer] = resourcePart.exec(resource.uri) ?? [''];
  const part = resource.uri.length - pointer.length;
  return { [variablesOf(resource.uri).at(-1)!]: part === 0 ? uri : uri.slice(0, -part) };
}

/** The resource at an address, and its arguments. Of several that it fits, the one that says most of how it ends. */
export function resourceAt(uri: string): { readonly resource: Resource; readonly args: JsonRecord } | undefined {
  const fitting = allResources.flatMap((resource) => {
    const args = argumentsAt(resource, uri);
    return args ? [{ resource, args }] : [];
  });
  return fitting.toSorted((one, other) => other.resource.uri.length - one.resource.uri.length)[0];
}

/** Whether nothing stands in the way of reads. */
const letsReadAll = (policy: Policy): boolean =>
  Object.values(omit({ ...policy }, ['readOnly'])).every((rules) => rules === undefined || (Array.isArray(rules) && rules.length === 0));

/** Whether the policy lets a resource be read at all. Others aren't listed either. */
export const isAllowed = (resource: Resource, policy: Policy): boolean =>
  letsReadAll(policy) || !isPlatformResource(resource) || denialOf(resource.tool, policy) === undefined;

/** What is told of the resources that the policy lets be read. @param hasTexts without texts, resources made of them aren't served. */
export const listedResources = (policy: Policy, hasTexts: boolean): ListedResource[] =>
  allResources
    .filter((one) => isAllowed(one, policy) && (hasTexts || isPlatformResource(one)))
    .map(({ name, uri, title, description }) => ({ name, uri, title, description }));
