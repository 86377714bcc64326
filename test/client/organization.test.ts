import { describe, expect, test } from 'vitest';
import { everyOrganization } from '../../src/contract/documented/organization.ts';
import { operations } from '../../src/contract/index.ts';
import { apiErrorOf, connectClient, startStubServer } from './stub-server.ts';

const acme = { id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e', name: 'Acme' };
const beta = { id: '1c8e4d2f-6a1b-4d4f-8e66-1b7d2c3e4f50', name: 'Beta' };
const otherBeta = { id: '2d7f5e3a-7b2c-4e5a-9f77-2c8e3d4f5a61', name: 'beta' };
const sameBeta = { ...otherBeta, name: 'Beta' };

async function clientOf(body: unknown, organization?: string) {
  const { url } = await startStubServer(() => ({ body }));
  return connectClient(url, { organization });
}

describe('the organization of a token', () => {
  test.each<[string, unknown, string | undefined, object]>([
    ['the only one of a list', { results: [beta] }, undefined, beta],
    ['the only one of a bare list', [beta], undefined, beta],
    ['the record beside a list of several', { ...acme, results: [beta, acme] }, undefined, acme],
    ['the one that has the chosen name', { results: [acme, beta] }, 'Beta', beta],
    ['the one that has it in this case', { results: [acme, otherBeta, beta] }, 'Beta', beta],
    ['the one that has it in any case', { results: [acme, beta] }, 'BETA', beta],
    ['the one that has the chosen id', [acme, beta], beta.id.toUpperCase(), beta],
    ['the chosen one, not the record beside it', { ...acme, results: [acme, beta] }, 'Beta', beta],
    ['the chosen one, which is the only one', acme, 'acme', acme],
  ])('is %s', async (_, body, choice, expected) => {
    expect(await (await clientOf(body, choice)).call(operations.get_organization, {})).toMatchObject(expected);
  });

  test.each<[string, unknown, string | undefined, RegExp]>([
    [
      'none is chosen',
      { results: [acme, beta] },
      undefined,
      /has 2 organizations, and none of them is chosen\. .*Acme \(0b9d3c1e[^)]*\), Beta \(1c8e4d2f[^)]*\).*INFRA_ORGANIZATION/,
    ],
    [
      'the chosen one is not among them',
      { results: [acme, beta] },
      'Gamma',
      /has no organization "Gamma".*Acme \(.*Beta \(/,
    ],
    ['the only one is another', acme, 'Gamma', /has no organization "Gamma".*Acme/],
    [
      'none is named',
      { results: {} },
      'Beta',
      /the platform names no organization, so "Beta" can't be found\.(?! The platform says)/,
    ],
    [
      'several have the chosen name',
      [beta, sameBeta],
      'Beta',
      new RegExp(String.raw`has 2 organizations "Beta".*Beta \(${beta.id}\), Beta \(${sameBeta.id}\)`),
    ],
  ])('is asked for where %s', async (_, body, choice, says) => {
    const error = await apiErrorOf((await clientOf(body, choice)).call(operations.get_organization, {}));
    expect(error.kind).toBe('unclear_organization');
    expect(error.message).toMatch(says);
  });

  test.each<[string, unknown, readonly object[]]>([
    ['a list', { results: [acme, beta] }, [acme, beta]],
    ['a bare list', [acme, beta], [acme, beta]],
    ['a record', acme, [acme]],
  ])('may be one of several, which are read from %s', async (_, body, all) => {
    expect((await (await clientOf(body)).call(everyOrganization, {})).results).toEqual(all);
  });
});
