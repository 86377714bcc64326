import { expect, test } from 'vitest';
import { ApiError } from '../../../src/client/index.ts';
import type { SendRead } from '../../../src/server/context/reader.ts';
import type { JsonRecord } from '../../../src/server/json/index.ts';
import { createNameResolver } from '../../../src/server/resolve/index.ts';
import type { Lookup } from '../../../src/server/tool/index.ts';
import { readerBy, resolutionProblem } from './recording-caller.ts';

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const [organization, project] = [id(1), id(2)];
const environments = Array.from({ length: 5 }, (_, index) => ({ id: id(100 + index), name: `e${index}` }));
const services = environments.map((environment, index) => ({
  id: id(200 + index),
  name: `worker-${index}`,
  service_type: 'CONTAINER',
  environment_id: environment.id,
}));

/** The environments as the list of the organization has them. */
const placed = environments.map((one) => ({ ...one, project: { id: project } }));

/** Answers a read, or fails it. */
type Answers = Readonly<Record<string, (input: JsonRecord) => unknown>>;

const usual: Answers = {
  get_organization: () => ({ id: organization, name: 'acme' }),
  list_projects: () => ({ results: [{ id: project, name: 'shop' }] }),
  list_environments: () => ({ results: environments }),
  list_services: ({ environment_id }) => ({ results: services.filter((one) => one.environment_id === environment_id) }),
  list_environments_of_organization: () => ({ results: placed }),
  list_services_of_organization: () => ({ results: services }),
};

function callerOf(answers: Answers = {}): { readonly lookup: Lookup; readonly asked: string[] } {
  const asked: string[] = [];
  const send: SendRead = async ({ name }, input) => {
    asked.push(name);
    return { ...usual, ...answers }[name]!(input);
  };
  return {
    lookup: { principal: 'ann', reader: readerBy(send), now: () => 0, isForChange: true, readsAtOnce: 'if many' },
    asked,
  };
}

/** The same, if nothing is to be changed. */
const asQuestion = (lookup: Lookup): Lookup => ({ ...lookup, isForChange: undefined });

const paths = environments.map(({ name }, index) => `shop/${name}/worker-${index}`);
const count = (asked: readonly string[], name: string): number => asked.filter((one) => one === name).length;

test('services of many environments are found in one list', async () => {
  const { lookup, asked } = callerOf();
  const resolver = createNameResolver();
  const found = await Promise.all(
    paths.map((path) => resolver.resolve('service', path, { ...lookup, readsAtOnce: 'always' })),
  );
  expect(found.map((one) => [one.id, one.environment?.id])).toEqual(
    services.map((one) => [one.id, one.environment_id]),
  );
  expect(count(asked, 'list_services')).toBe(0);
  expect(count(asked, 'list_services_of_organization')).toBe(1);
});

test('a bare name is looked for in one list', async () => {
  const { lookup, asked } = callerOf();
  await expect(createNameResolver().resolve('service', 'worker-3', lookup)).resolves.toMatchObject({ id: id(203) });
  expect(count(asked, 'list_services')).toBe(0);
});

test('a path to look at is looked up in its environment, which one list of the organization has', async () => {
  const { lookup, asked } = callerOf();
  await createNameResolver().resolve('service', paths[0]!, asQuestion(lookup));
  expect(asked.toSorted()).toEqual([
    'get_organization',
    'list_environments_of_organization',
    'list_projects',
    'list_services',
  ]);
});

test('a path to change is looked up in the lists along it', async () => {
  const { lookup, asked } = callerOf();
  await createNameResolver().resolve('service', paths[0]!, lookup);
  expect(asked).toEqual(['get_organization', 'list_projects', 'list_environments', 'list_services']);
});

test('a path to change is found in the list of all environments that a question has read, if exactly that is there', async () => {
  const { lookup, asked } = callerOf();
  const resolver = createNameResolver();
  await resolver.resolve('environment', 'shop/e0', asQuestion(lookup));
  asked.splice(0);
  await resolver.resolve('service', paths[0]!, lookup);
  expect(asked.splice(0)).toEqual(['list_services']);
  await resolver.resolve('service', 'shop/E0/worker-0', lookup);
  expect(asked).toEqual(['list_projects', 'list_environments', 'list_services']);
});

test('an environment is found in the list that an earlier name was looked up in', async () => {
  const { lookup, asked } = callerOf();
  const resolver = createNameResolver();
  await resolver.resolve('environment', 'shop/e0', asQuestion(lookup));
  asked.splice(0);
  await expect(resolver.resolve('service', paths[3]!, asQuestion(lookup))).resolves.toMatchObject({ id: id(203) });
  expect(asked).toEqual(['list_services']);
});

test('a change by a bare name reads new lists, each once, and the organization only the first time', async () => {
  const { lookup, asked } = callerOf();
  const resolver = createNameResolver();
  await resolver.resolve('service', 'worker-3', lookup);
  const [first] = [asked.splice(0)];
  await resolver.resolve('service', 'worker-3', lookup);
  expect(first).toEqual(['get_organization', 'list_projects', 'list_environments', 'list_services_of_organization']);
  expect(asked).toEqual(first.slice(1));
});

const failed = (kind: 'forbidden' | 'not_offered' | 'server_error' | 'bad_answer') => () => {
  throw new ApiError('a wide list', { kind, reason: kind, next: 'Nothing.' });
};

// Each of these lists has a part only, or may have: the third environment has another service of the same name.
const twin = { ...services[3]!, id: id(299), environment_id: environments[2]!.id };
const inParts: Readonly<Record<string, () => unknown>> = {
  'has fewer rows than there are': () => ({ results: services, pagination: { total_count: 6 } }),
  'has another page': () => ({ results: services, pagination: { page: 1, page_size: 5, total_pages: 2 } }),
  'has a row without an environment': () => ({ results: [...services, { ...twin, environment_id: undefined }] }),
  'has a row without an id': () => ({ results: [...services, { ...twin, id: undefined }] }),
  'has a row of a kind that nobody knows': () => ({ results: [...services, { ...twin, service_type: 'ROCKET' }] }),
  'has a row that is none': () => ({ results: [...services, null] }),
  'is no list': () => ({}),
  'is forbidden': failed('forbidden'),
  'is not offered': failed('not_offered'),
  fails: failed('server_error'),
  'can be read in part': failed('bad_answer'),
};

test.each(Object.keys(inParts))(
  'a list that %s never counts as the whole: each environment is asked',
  async (which) => {
    const all = [...services, twin];
    const { lookup, asked } = callerOf({
      list_services_of_organization: inParts[which]!,
      list_services: ({ environment_id }) => ({ results: all.filter((one) => one.environment_id === environment_id) }),
    });
    const problem = await resolutionProblem(createNameResolver().resolve('service', 'worker-3', lookup));
    expect(problem.candidates.map((one) => one.id).toSorted()).toEqual([services[3]!.id, twin.id]);
    expect(count(asked, 'list_services')).toBe(environments.length);
  },
);

// Each of these lists has a part only, or may have: the project has another environment of the same name.
const double = { ...placed[3]!, id: id(199) };
const environmentsInParts: typeof inParts = {
  ...inParts,
  'has fewer rows than there are': () => ({ results: placed, pagination: { total_count: 6 } }),
  'has another page': () => ({ results: placed, pagination: { page: 1, page_size: 5, total_pages: 2 } }),
  'has a row without a project': () => ({ results: [...placed, { ...double, project: undefined }] }),
  'has a row without an id': () => ({ results: [...placed, { ...double, id: undefined }] }),
  'has a row that is none': () => ({ results: [...placed, null] }),
};

test.each(Object.keys(environmentsInParts))(
  'a list of all environments that %s never counts as the whole: the project is asked',
  async (which) => {
    const { lookup, asked } = callerOf({
      list_environments_of_organization: environmentsInParts[which]!,
      list_environments: () => ({ results: [...placed, double] }),
    });
    const problem = await resolutionProblem(createNameResolver().resolve('environment', 'shop/e3', asQuestion(lookup)));
    expect(problem.candidates.map((one) => one.id).toSorted()).toEqual([placed[3]!.id, double.id]);
    expect(count(asked, 'list_environments')).toBe(1);
  },
);

test('a project that the list of all environments lacks is asked itself', async () => {
  const { lookup, asked } = callerOf({ list_environments_of_organization: () => ({ results: [] }) });
  await expect(createNameResolver().resolve('environment', 'shop/e3', asQuestion(lookup))).resolves.toMatchObject({
    id: id(103),
  });
  expect(count(asked, 'list_environments')).toBe(1);
});

test('an environment that the list of all lacks is asked itself', async () => {
  const { lookup, asked } = callerOf({ list_services_of_organization: () => ({ results: services.slice(1) }) });
  await expect(createNameResolver().resolve('service', 'worker-0', lookup)).resolves.toMatchObject({ id: id(200) });
  expect(count(asked, 'list_services')).toBe(1);
});

test('nothing is called missing because the list of all lacks it', async () => {
  const more = { ...services[4]!, id: id(300), name: 'extra' };
  const { lookup, asked } = callerOf({
    list_services: ({ environment_id }) => ({
      results: [...services, more].filter((one) => one.environment_id === environment_id),
    }),
  });
  await expect(createNameResolver().resolve('service', 'extra', lookup)).resolves.toMatchObject({ id: more.id });
  expect(count(asked, 'list_services')).toBe(environments.length);
});

test.each([
  ['sees only a part', { view: 'narrow' }],
  ['may read some places only', { readsAtOnce: undefined }],
])('who %s asks environment by environment', async (_, limits) => {
  const { lookup, asked } = callerOf();
  await createNameResolver().resolve('service', 'worker-3', { ...lookup, ...limits });
  expect(asked.filter((one) => one.endsWith('_of_organization'))).toEqual([]);
});
