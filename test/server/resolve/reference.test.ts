import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNameResolver } from '../../../src/server/resolve/index.ts';
import { mostRequests } from '../../../src/server/resolve/find.ts';
import { joinPath, type AnyOperation, operations } from '../../../src/contract/index.ts';
import type { JsonRecord } from '../../../src/server/json/index.ts';
import { resolutionProblem } from './recording-caller.ts';
import { readerBy } from './recording-caller.ts';
import { runs } from '../../support/runs.ts';

/** An organization by names: projects, in them environments, in them services with their kind. */
type Tree = readonly {
  name: string;
  environments: readonly { name: string; services: readonly { name: string; kind: string }[] }[];
}[];

interface Placed {
  readonly id: string;
  readonly kind: string;
  readonly names: readonly string[];
  readonly parent: string;
}

const idOf = (path: readonly (string | number)[]): string =>
  `00000000-0000-4000-8000-${path
    .map((part) => String(part).padStart(3, '0'))
    .join('')
    .padStart(12, '0')}`;

const organization = { id: idOf([999]), name: 'acme' };

/** Everything in a tree, with the names on the way to it. */
const placedIn = (tree: Tree): Placed[] =>
  tree.flatMap((project, p) => {
    const projectId = idOf([1, p]);
    return [
      { id: projectId, kind: 'PROJECT', names: [project.name], parent: organization.id },
      ...project.environments.flatMap((environment, e) => {
        const environmentId = idOf([2, p, e]);
        return [
          { id: environmentId, kind: 'ENVIRONMENT', names: [project.name, environment.name], parent: projectId },
          ...environment.services.map(({ name, kind }, s) => ({
            id: idOf([3, p, e, s]),
            kind,
            names: [project.name, environment.name, name],
            parent: environmentId,
          })),
        ];
      }),
    ];
  });

/** Answers reads as a platform with this tree does, counting them. */
function platformOf(tree: Tree) {
  const placed = placedIn(tree);
  const asked: string[] = [];
  const read = async (operation: AnyOperation, input: JsonRecord): Promise<unknown> => {
    asked.push(operation.name);
    if (operation.path === operations.get_organization.path) return { ...organization, results: [organization] };
    const [parent] = Object.values(input);
    return {
      results: placed
        .filter((one) => one.parent === parent)
        .map(({ id, kind, names }) => ({ id, name: names.at(-1), service_type: kind })),
    };
  };
  return { placed, asked, lookup: { principal: 'ann', reader: readerBy(read), now: () => 0 } };
}

const name = fc.constantFrom('shop', 'staging', 'checkout', 'a/b', '50%', 'Straße', 'acme');
const uniquely = <Value extends { name: string }>(one: fc.Arbitrary<Value>, most: number) =>
  fc.uniqueArray(one, { maxLength: most, selector: (value) => value.name });
// Services of different kinds may share a name.
const services = fc.uniqueArray(fc.record({ name, kind: fc.constantFrom('APPLICATION', 'DATABASE') }), {
  maxLength: 4,
  selector: (one) => `${one.name} ${one.kind}`,
});
const anyTree: fc.Arbitrary<Tree> = uniquely(
  fc.record({ name, environments: uniquely(fc.record({ name, services }), 3) }),
  3,
);

const service = (one: Placed): boolean => one.names.length === 3;

/** What a path of names stands for: whatever ends in these names, or the organization's name and then all of them. */
const standsFor = (path: readonly string[], all: readonly Placed[], depth: number): Placed[] => {
  const names = path.length === depth + 1 && path[0] === organization.name ? path.slice(1) : path;
  return all.filter(
    (one) => names.length <= depth && JSON.stringify(one.names.slice(depth - names.length)) === JSON.stringify(names),
  );
};

const ids = (things: readonly { id: string }[]): string[] => things.map(({ id }) => id).toSorted();

describe('a path of names', () => {
  test.each([
    ['service', 3],
    ['environment', 2],
    ['project', 1],
  ] as const)('stands for what a look through the whole tree finds: %s', async (kind, depth) => {
    const query = fc.array(name, { minLength: 1, maxLength: depth + 1 });
    await fc.assert(
      fc.asyncProperty(anyTree, query, fc.boolean(), async (tree, path, shouting) => {
        const { placed, lookup } = platformOf(tree);
        const expected = standsFor(
          path,
          placed.filter(({ names }) => names.length === depth),
          depth,
        );
        const text = shouting
          ? joinPath(path.map((one) => (one === 'Straße' ? one : one.toUpperCase())))
          : joinPath(path);
        const resolving = createNameResolver().resolve(kind, text, lookup);
        if (expected.length === 1)
          expect(await resolving).toMatchObject({ id: expected[0]!.id, path: joinPath(expected[0]!.names) });
        else {
          const { why, candidates } = await resolutionProblem(resolving);
          expect({ why, ids: ids(candidates) }).toEqual({
            why: expected.length === 0 ? 'unknown' : 'ambiguous',
            ids: ids(expected),
          });
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test('is looked for where the call is first', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, name, fc.nat(), async (tree, wanted, pick) => {
        const { placed, lookup } = platformOf(tree);
        const environments = placed.filter(({ kind }) => kind === 'ENVIRONMENT');
        fc.pre(environments.length > 0);
        const { id } = environments[pick % environments.length]!;
        const everywhere = standsFor([wanted], placed.filter(service), 3);
        const there = everywhere.filter(({ parent }) => parent === id);
        const expected = there.length > 0 ? there : everywhere;
        const resolving = createNameResolver().resolve('service', joinPath([wanted]), {
          ...lookup,
          within: { environmentId: id },
        });
        if (expected.length === 1) expect((await resolving).id).toBe(expected[0]!.id);
        else expect(ids((await resolutionProblem(resolving)).candidates)).toEqual(ids(expected));
      }),
      { numRuns: runs(150) },
    );
  });

  test('a kind prefix selects that kind', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, name, fc.constantFrom('APPLICATION', 'DATABASE'), async (tree, wanted, kind) => {
        const { placed, lookup } = platformOf(tree);
        const expected = standsFor([wanted], placed.filter(service), 3).filter((one) => one.kind === kind);
        const resolving = createNameResolver().resolve(
          'service',
          `${kind.toLowerCase()}:${joinPath([wanted])}`,
          lookup,
        );
        if (expected.length === 1) expect((await resolving).id).toBe(expected[0]!.id);
        else expect(ids((await resolutionProblem(resolving)).candidates)).toEqual(ids(expected));
      }),
      { numRuns: runs(100) },
    );
  });

  test('of whatever was resolved resolves to the same again, as the kind that has its name alone does', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, async (tree) => {
        const { placed, lookup } = platformOf(tree);
        const resolver = createNameResolver();
        const completed = await resolver.complete('service', '', lookup);
        const resolved = await Promise.all(completed.map((text) => resolver.resolve('service', text, lookup)));
        expect(ids(resolved)).toEqual(ids(placed.filter(service)));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('requests', () => {
  const wide: Tree = Array.from({ length: 30 }, (_, p) => ({
    name: `project-${p}`,
    environments: [0, 1].map((e) => ({
      name: `environment-${e}`,
      services: [{ name: p === 29 ? 'rare' : 'common', kind: 'APPLICATION' }],
    })),
  }));

  test('go only along a whole path', async () => {
    const { lookup, asked, placed } = platformOf(wide);
    const { id } = await createNameResolver().resolve('application', 'project-29/environment-1/rare', lookup);
    expect(id).toBe(placed.find(({ names }) => joinPath(names) === 'project-29/environment-1/rare')!.id);
    expect(asked).toEqual(['get_organization', 'list_projects', 'list_environments', 'list_services']);
  });

  test('for a bare name are bounded, and it is said that there may be more', async () => {
    const { lookup, asked } = platformOf(wide);
    const problem = await resolutionProblem(createNameResolver().resolve('application', 'common', lookup));
    expect(asked.filter((one) => one !== 'get_organization').length).toBeLessThanOrEqual(mostRequests);
    expect(problem).toMatchObject({
      why: 'ambiguous',
      notes: [expect.stringContaining(`after ${mostRequests} requests`)],
    });
  });

  test('that ended early never make a guess of the one that was found', async () => {
    const { lookup } = platformOf([
      { name: 'first', environments: [{ name: 'only', services: [{ name: 'rare', kind: 'APPLICATION' }] }] },
      ...wide,
    ]);
    expect(await resolutionProblem(createNameResolver().resolve('application', 'rare', lookup))).toMatchObject({
      why: 'ambiguous',
      candidates: [{ path: 'first/only/rare' }],
    });
  });
});
