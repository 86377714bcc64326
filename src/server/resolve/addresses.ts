import { inputShape, parameterKind, snakeCase, type AnyOperation } from '../../contract/operation.ts';
import type { ReferenceKind } from '../../contract/primitives.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import { pointsAt } from '../tool/references.ts';
import { isRecord, type JsonRecord } from '../json/values.ts';
import type { Address, Addresses, AddressKind, Lookup } from '../tool/address.ts';
import { completions } from './complete.ts';
import { find, newSearch } from './find.ts';
import { createLists } from './lists.ts';
import { isId, qualifiedName, segmentsOf } from './names.ts';
import { problemOf } from './problem.ts';
import { createSeen, type Shelf } from './seen.ts';
import { thingOf, type Thing } from './thing.ts';
import { addressOf, trailTo } from './trail.ts';
import { answeredBy, fits } from './tree.ts';
import { isForeignUri, isUri, parseUri } from './uri.ts';
import type { Ground } from './walk.ts';
import { bareProblem, type AddressProblem } from '../failure/failure.ts';
import { CallFailure } from '../failure/failure.ts';
import { rowsIn } from '../context/reads.ts';

/** Addresses that remember what was seen. */
export interface RememberingAddresses extends Addresses {
  /** Writes down what was seen and is not written yet. */
  flush(): Promise<void>;
}

const refuse = (problem: AddressProblem): never => {
  throw new CallFailure({ kind: 'bad_address', problem });
};

/** What a text says of what it means: the kind where it tells one, and the path, name or id. */
function readGiven(kind: AddressKind, given: string): { readonly kind: AddressKind; readonly text: string } {
  const text = given.trim();
  if (isUri(text)) {
    const pointed = parseUri(text) ?? refuse(bareProblem(kind, given, 'bad_uri'));
    return fits(pointed.kind, kind) ? { kind: pointed.kind, text: pointed.given } : refuse(bareProblem(kind, given, 'wrong_kind'));
  }
  if (isForeignUri(text)) refuse(bareProblem(kind, given, 'bad_uri'));
  const precise = qualifiedName(text);
  return precise && fits(precise.kind, kind) && isId(precise.name) ? { kind: precise.kind, text: precise.name } : { kind, text };
}

/** What an id is known as, without asking anybody. */
const known = (kinds: readonly ReferenceKind[], id: string, principal: string, { seen }: Ground): Thing | undefined =>
  kinds.map((kind) => seen.get(principal, kind, id)).find((thing) => thing !== undefined);

async function resolve(asked: AddressKind, given: string, look: Lookup, ground: Ground): Promise<Address> {
  const { kind, text } = readGiven(asked, given);
  await ground.seen.loaded();
  if (isId(text)) {
    const id = text.toLowerCase();
    const thing = known(kind === 'service' ? serviceKinds : [kind], id, look.principal, ground);
    if (thing) return addressOf(trailTo(thing, look.principal, ground.seen));
    if (kind !== 'service') return { kind, id };
  }
  const findings = await find(kind, segmentsOf(text), look, ground);
  const [found, ...others] = findings.trails;
  return found && others.length === 0 && !findings.open ? addressOf(found) : refuse(problemOf(kind, text, findings));
}

/** What an operation answered, as things. */
function thingsIn(operation: AnyOperation, input: JsonRecord, answer: unknown): readonly Thing[] {
  const { kinds, list } = answeredBy(operation);
  const [param, ...others]: readonly string[] = operation.params;
  const holds = param !== undefined && others.length === 0 && (list || operation.status === 201);
  const parent = holds ? { kind: parameterKind(param), id: String(input[snakeCase(param)]) } : undefined;
  const rows = list ? rowsIn(isRecord(answer) ? answer : undefined) : [answer];
  return kinds.length === 0 ? [] : rows.flatMap((row) => thingOf(row, kinds, parent) ?? []);
}

/** The services whose ids an operation was given: once it was carried out, they are known to be of its kinds. */
const servicesGiven = (operation: AnyOperation, input: JsonRecord): readonly Thing[] =>
  Object.entries(inputShape(operation)).flatMap(([name, schema]) => {
    const kind = pointsAt(schema);
    const ids = [input[name]].flat().filter((id) => typeof id === 'string' && isId(id)) as readonly string[];
    return kind === undefined || kind === 'service' || !fits(kind, 'service') ? [] : ids.map((id) => ({ kind, id: id.toLowerCase() }));
  });

/**
 * Finds what names, paths, URIs and ids stand for.
 * @param shelf where what was seen outlives the process; without one it doesn't.
 */
export function createAddresses(shelf?: Shelf): RememberingAddresses {
  const ground: Ground = { lists: createLists(), seen: createSeen(shelf) };
  return {
    resolve: (kind, given, look) => resolve(kind, given, look, ground),
    complete: (kind, typed, look) => completions(kind, typed, look, ground),
    organization: async (look) => {
      const [organization] = await ground.lists.organization(newSearch(look, 0));
      return organization?.id ?? '';
    },
    learn: (operation, input, answer, principal) => {
      if (operation.method !== 'GET') ground.lists.forget(principal, answeredBy(operation).kinds);
      for (const thing of [...servicesGiven(operation, input), ...thingsIn(operation, input, answer)]) ground.seen.note(principal, thing);
    },
    flush: () => ground.seen.flush(),
  };
}
