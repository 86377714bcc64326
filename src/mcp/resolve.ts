import * as z from 'zod';
import { referenceKind } from '../contract/primitives.ts';
import type { Address, AddressKind, Look } from './addresses/address.ts';
import { fits } from './addresses/tree.ts';
import { lookFor, type Call } from './call.ts';
import type { JsonRecord } from './values.ts';

/** What a member of an input points at; undefined where it is no pointer. */
export function pointsAt(schema: z.ZodType | undefined): AddressKind | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return pointsAt(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return pointsAt(schema.element as z.ZodType);
  return schema && referenceKind(schema);
}

/** The widest things first, so that what is narrower is looked for inside them. */
const order: readonly AddressKind[] = ['organization', 'project', 'environment', 'service'];

const rank = (kind: AddressKind): number => (order.includes(kind) ? order.indexOf(kind) : order.length);

type Within = NonNullable<Look['within']>;

/** Where what is named next is to be looked for, once this is known. */
const narrowed = (within: Within, { kind, id }: Address): Within => {
  if (kind === 'organization') return { ...within, organizationId: id };
  if (kind === 'project') return { ...within, projectId: id };
  if (kind === 'environment') return { ...within, environmentId: id };
  return fits(kind, 'service') ? { ...within, service: { kind, id } } : within;
};

const organizationMember = 'organization_id';

/**
 * The call with ids where names were given, and with the organization where it was left out.
 * @throws CallFailure where a name stands for nothing or for several things; ApiError as the platform fails.
 */
export async function resolve(call: Call): Promise<Call> {
  const { tool, deps } = call;
  const pointers = Object.entries(tool.input)
    .flatMap(([name, schema]) => {
      const kind = pointsAt(schema);
      return kind === undefined ? [] : [{ name, kind }];
    })
    .toSorted((one, other) => rank(one.kind) - rank(other.kind));
  const args: JsonRecord = { ...call.args };
  const addresses: Record<string, Address> = {};
  let within: Within = {};
  const looking = (): Look => lookFor(call, within);

  for (const { name, kind } of pointers) {
    const given = args[name];
    if (name === organizationMember && given === undefined) args[name] = await deps.addresses.organization(looking());
    else if (Array.isArray(given)) args[name] = (await Promise.all(given.map((one) => deps.addresses.resolve(kind, String(one), looking())))).map(({ id }) => id);
    else if (typeof given === 'string') {
      const address = await deps.addresses.resolve(kind, given, looking());
      args[name] = address.id;
      addresses[name] = address;
      within = narrowed(within, address);
    }
  }
  return { ...call, args, addresses };
}
