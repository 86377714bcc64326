import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRandom } from '../../../src/platform/common/index.ts';
import { receivedVariables } from '../../../src/platform/engine/resolved-variables.ts';
import type { VariableTable } from '../../../src/platform/store/index.ts';
import { addEnvironment, type EngineFixture, openEngineFixture, projectId } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await openEngineFixture();
});
afterAll(() => fixture.close());

const add = async (variable: Partial<VariableTable> & Pick<VariableTable, 'key' | 'scope'>): Promise<string> => {
  const id = systemRandom.uuid();
  const at = '2026-01-05T08:00:00.000Z';
  await fixture.db
    .insertInto('variable')
    .values({
      created_at: at,
      updated_at: at,
      project_id: null,
      environment_id: null,
      service_id: null,
      variable_type: 'VALUE',
      value: '',
      sealed_value: null,
      mount_path: null,
      description: null,
      enable_interpolation_in_file: null,
      linked_variable_id: null,
      owned_by: null,
      ...variable,
      id,
    })
    .execute();
  return id;
};

test('a service that overrides a variable has its own value, also beside an alias of that variable', async () => {
  const { environmentId, ids } = await addEnvironment(fixture.db, 'variables', {
    web: { kind: 'container' },
    app: { kind: 'application' },
  });
  const [web, app] = [ids['web']!, ids['app']!];
  const region = await add({ key: 'REGION', scope: 'PROJECT', project_id: projectId, value: 'of the project' });
  const linked = { linked_variable_id: region };
  await add({ ...linked, key: 'ALIAS', scope: 'CONTAINER', service_id: web, variable_type: 'ALIAS' });
  await add({ ...linked, key: 'REGION', scope: 'CONTAINER', service_id: web, variable_type: 'OVERRIDE', value: 'own' });
  const received = await receivedVariables(
    fixture.db,
    [web, app].map((id) => ({ id, environmentId, projectId })),
    (sealed) => sealed,
  );
  const valuesOf = (id: string) => received.get(id)!.map(({ key, value }) => [key, value]);
  expect(valuesOf(web)).toEqual([
    ['ALIAS', 'of the project'],
    ['REGION', 'own'],
  ]);
  expect(valuesOf(app)).toEqual([['REGION', 'of the project']]);
});
