import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../../../../src/server/guard/policy/load.ts';
import { twoPersonOf } from '../../../../src/server/guard/policy/two-person.ts';
import { tools } from '../../../../tools/index.ts';
import { policyFrom } from '../../../support/guard-fixture.ts';
import { stopping } from '../approvals/named-operators-fixture.ts';

const required = async (text: string, target: Parameters<typeof stopping>[0] = {}) =>
  twoPersonOf([stopping(target)], await policyFrom(`two_person:\n${text}`));

describe('two_person', () => {
  test('asks for one other person where nothing else is said, and says where it is set', async () => {
    expect(await required('  - { name: production, mode: PRODUCTION }')).toEqual({
      approvals: 1,
      of: undefined,
      setBy: 'policy.yaml, two_person[0] "production"',
    });
  });

  test('holds only where its conditions do', async () => {
    expect(await required('  - mode: STAGING')).toBeUndefined();
    expect(await required('  - { tier: destructive, project: bank }')).toBeUndefined();
  });

  test('holds in doubt', async () => {
    expect(await required('  - project: bank', { project: { id: 'p-1' } })).toMatchObject({ approvals: 1 });
    expect(await required('  - mode: PRODUCTION', { mode: 'unknown' })).toMatchObject({ approvals: 1 });
  });

  test('of several rules, the largest number counts, and whoever is in all groups', async () => {
    const rules = '  - { tier: destructive, approvals: 2, of: [ada, bob, cy] }\n  - { project: shop, of: [cy, bob] }';
    expect(await required(rules)).toMatchObject({ approvals: 2, of: ['bob', 'cy'] });
  });

  test('asks nothing for what needs no agreement', async () => {
    const policy = await policyFrom('two_person:\n  - project: shop');
    expect(twoPersonOf([{ ...stopping(), risk: 'write' }], policy)).toBeUndefined();
  });

  test.each([
    [
      'more operators than it names',
      '  - { tier: destructive, approvals: 2, of: [ada, ada] }',
      /approvals is more than/,
    ],
    ['a rule without conditions', '  - { approvals: 2 }', /needs at least one of tool/],
    ['an unknown key', '  - { tier: destructive, approval: 2 }', /did you mean "approvals"/],
  ])('with %s is an error', async (_, text, message) => {
    await expect(parsePolicy('policy.yaml', `two_person:\n${text}`, tools)).rejects.toThrow(message);
  });
});
