import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { serviceKinds } from '../../../src/contract/index.ts';
import { parseUri, uriOf, uriParts } from '../../../src/server/resolve/uri.ts';

const id = '00000000-0000-4000-8000-000000000001';

test.each([
  [{ kind: 'project', id }, undefined, `infra://project/${id}`],
  [{ kind: 'environment', id }, 'status', `infra://environment/${id}/status`],
  [{ kind: 'helm', id }, undefined, `infra://service/helm/${id}`],
  [{ kind: 'application', id }, 'logs', `infra://service/application/${id}/logs`],
] as const)('is made of a kind and an id: %j %s', (address, part, uri) => {
  expect(uriOf(address, part)).toBe(uri);
});

test('whatever was made is read back', () => {
  const kind = fc.constantFrom('project', 'environment', 'cluster', 'alert_rule', ...serviceKinds);
  fc.assert(
    fc.property(
      kind,
      fc.string({ minLength: 1 }),
      fc.option(fc.constantFrom(...uriParts), { nil: undefined }),
      (one, given, part) => {
        expect(parseUri(uriOf({ kind: one, id: given }, part))).toEqual({ kind: one, given, ...(part && { part }) });
      },
    ),
  );
});

test.each([
  ['infra://environment/shop/production', { kind: 'environment', given: 'shop/production' }],
  ['infra://environment/shop/production/status', { kind: 'environment', given: 'shop/production', part: 'status' }],
  ['infra://environment/status', { kind: 'environment', given: 'status' }],
  ['infra://environment/shop%2Fstatus', { kind: 'environment', given: 'shop/status' }],
  [
    'infra://service/job/shop/staging/nightly-report/logs',
    { kind: 'job', given: 'shop/staging/nightly-report', part: 'logs' },
  ],
  ['infra://environment/shop/a%2Fb', { kind: 'environment', given: 'shop/a%2Fb' }],
] as const)('a path may be written out: %s', (text, pointed) => {
  expect(parseUri(text)).toEqual(pointed);
});

test.each([
  'https://project/x',
  'infra://',
  'infra://project',
  'infra://project/',
  'infra://project//x',
  'infra://project/x/',
  'infra://application/x',
  'infra://planet/x',
  'infra://service/x',
  'infra://service/project/x',
  'infra://service/application/',
  'infra://project/%E0%A4%A',
  'infra://project/x/%E0%A4%A',
])('%s is none', (text) => {
  expect(parseUri(text)).toBeUndefined();
});

test('any text is read or refused, never more', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseUri(`infra://${text}`)));
});
