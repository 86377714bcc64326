import { expect, test } from 'vitest';
import { type Condition, condition } from '../../../../src/contract/index.ts';
import { toldLine } from '../../../../src/platform/runtime/index.ts';
import {
  plannedChanges,
  readPlan,
  type ReadPlan,
  digestOfVariables,
} from '../../../../src/platform/runtime/docker/terraform/plan.ts';

const deploymentId = '11111111-2222-4333-8444-555555555555';
const digest = 'a'.repeat(64);
const begin = `[plan ${deploymentId}]`;
const end = `[end of plan ${deploymentId}] ${digest}`;

const lines = (...told: readonly (Condition | string)[]) =>
  told.map((each, at) => toldLine(each, { at, pod: 'terraform', version: '' }));
const read = (...looks: readonly (readonly (Condition | string)[])[]): ReadPlan | undefined =>
  looks.reduce<ReadPlan | undefined>(
    (before, messages) => readPlan({ deploymentId }, before, lines(...messages)),
    undefined,
  );
const shown = (plan: ReadPlan | undefined) => plannedChanges(plan, [])!;

/** The lines of a resource with a value of so many characters. */
const large = (name: string, characters: number): string[] => [
  `  # disk.${name} will be created`,
  ...Array.from({ length: characters / 100 }, (_, number) => `      + script = "${String(number).padEnd(85, 'x')}"`),
];

test('however long values are, what is destroyed and how much of it is shown', () => {
  const plan = shown(
    read([
      begin,
      ...large('a', 60_000),
      '  # database.orders will be destroyed',
      ...large('b', 40_000),
      '  # database.users must be replaced',
      'Plan: 3 to add, 0 to change, 2 to destroy.',
      end,
    ]),
  );
  expect(plan).toMatchObject({ digest, isShortened: true, counts: { add: 3, change: 0, destroy: 2 } });
  for (const line of ['  # database.orders will be destroyed', '  # database.users must be replaced'])
    expect(plan.text.split('\n')).toContain(line);
  expect(plan.text.length).toBeLessThan(33_000);
});

test('values that look like lines about resources crowd nothing out', () => {
  const forged = Array.from({ length: 2000 }, (_, number) => `        # database.number-${number} will be destroyed`);
  const plan = shown(
    read([
      begin,
      ...forged,
      '  # database.orders will be destroyed',
      'Plan: 0 to add, 0 to change, 1 to destroy.',
      end,
    ]),
  );
  expect(plan.text).toContain('\n  # database.orders will be destroyed\nPlan: 0 to add, 0 to change, 1 to destroy.');
});

test('values of secrets are hidden, in base64 as well', () => {
  const secret = 'correct horse battery';
  const variables = [{ key: 'TOKEN', value: secret, isSecret: true }];
  const text = plannedChanges(
    read([begin, `  + password = "${secret}"`, `  + encoded = "${Buffer.from(secret).toString('base64')}"`, end]),
    variables,
  )!.text;
  expect(text).toBe('+ password = "(secret)"\n  + encoded = "(secret)"');
});

test('a plan of whose lines some were left out is told to be a part', () => {
  expect(
    shown(
      read(
        [begin, '  # a.b will be created'],
        [condition('LINES_LEFT_OUT', { most: 1000 }), 'Plan: 1 to add, 0 to change, 0 to destroy.', end],
      ),
    ).isShortened,
  ).toBe(true);
  expect(
    shown(read([begin, '  # a.b will be created', 'Plan: 1 to add, 0 to change, 0 to destroy.', end])),
  ).toMatchObject({ isShortened: false, counts: { add: 1 } });
  expect(shown(read(['Plan: 0 to add, 0 to change, 0 to destroy.', end]))).toMatchObject({
    isShortened: true,
    text: '',
  });
});

const ofPlatform = (key: string) => ({ secretFor: (purpose: string) => `${key} ${purpose}` });

test('only all of the variables have their digest, and only with the key of the platform', () => {
  const variables = [
    { key: 'AWS_PROFILE', value: 'staging', isSecret: false },
    { key: 'TOKEN', value: 'hidden', isSecret: true },
  ];
  const own = digestOfVariables(ofPlatform('one'), variables);
  expect(own).toBe(digestOfVariables(ofPlatform('one'), structuredClone(variables)));
  const others = [
    digestOfVariables(ofPlatform('two'), variables),
    ...[
      [{ ...variables[0]!, value: 'production' }, variables[1]!],
      [variables[0]!],
      [variables[0]!, { ...variables[1]!, mountPath: '/x' }],
    ].map((each) => digestOfVariables(ofPlatform('one'), each)),
  ];
  expect(others).not.toContain(own);
});
