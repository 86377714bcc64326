import { expect } from 'vitest';
import type { ForeignCall } from './call.ts';
import type { ForeignServer } from './foreign-server.ts';
import { kinds } from './reading-calls.ts';

const variable =
  (key: string, scope: string) =>
  ({ platform }: ForeignServer) =>
    structuredClone(platform.state.variables.find((row) => row.key === key && row.scope === scope));

/** Variables of a service that has no path of its own for them, from the first to the last. */
const ofKind = (kind: 'helm' | 'terraform'): readonly ForeignCall[] => {
  const [service, scope] = [`shop/staging/${kinds[kind]}`, kind.toUpperCase()];
  const key = `OF_${scope}`;
  return [
    {
      tool: 'set_environment_variables',
      case: `of a ${kind}`,
      args: () => ({ service, variables: { [key]: 'on' }, secrets: { [`KEY_${key}`]: 'correct-horse-14' } }),
      changes: [`+variables KEY_${key}`, `+variables ${key}`],
      holds: ({ server }) => expect(variable(key, scope)(server)).toMatchObject({ value: 'on' }),
    },
    {
      tool: 'set_environment_variables',
      case: `another value of a secret of a ${kind}`,
      args: () => ({ service, secrets: { [`KEY_${key}`]: 'correct-horse-16' } }),
      changes: [`~variables KEY_${key}`],
      holds: ({ server, result, questions }) => {
        expect(variable(`KEY_${key}`, scope)(server)).toMatchObject({ value: 'correct-horse-16', is_secret: true });
        expect(JSON.stringify([result, questions])).not.toMatch(/correct-horse/);
      },
    },
    {
      tool: 'update_environment_variable',
      case: `of a ${kind}`,
      args: () => ({ service, environment_variable_id: key, value: 'off' }),
      changes: [`~variables ${key}`],
      holds: ({ server }) => expect(variable(key, scope)(server)).toMatchObject({ value: 'off' }),
    },
    {
      tool: 'override_environment_variable',
      case: `for a ${kind}`,
      args: (server) => ({
        service,
        environment_variable_id: variable('CURRENCY', 'PROJECT')(server)?.id,
        value: 'CHF',
      }),
      changes: ['+variables CURRENCY'],
      holds: ({ server }) => expect(variable('CURRENCY', scope)(server)).toMatchObject({ value: 'CHF' }),
    },
    {
      tool: 'delete_environment_variable',
      case: `a secret of a ${kind}`,
      args: () => ({ service, key: `KEY_${key}` }),
      changes: [`-variables KEY_${key}`],
      holds: ({ result, questions }) => expect(JSON.stringify([result, questions])).not.toContain('correct-horse-14'),
    },
  ];
};

/** Variables of a project, and of the services that are reached only at the path of all variables. */
export const scopedVariableCalls: readonly ForeignCall[] = [
  {
    tool: 'set_environment_variables',
    case: 'of a project',
    args: () => ({ project: 'shop', variables: { CURRENCY: 'EUR' }, secrets: { LICENCE_KEY: 'correct-horse-13' } }),
    changes: ['+variables CURRENCY', '+variables LICENCE_KEY'],
    holds: ({ server }) => expect(variable('CURRENCY', 'PROJECT')(server)).toMatchObject({ value: 'EUR' }),
  },
  {
    tool: 'update_environment_variable',
    case: 'of a project',
    args: () => ({ project: 'shop', environment_variable_id: 'CURRENCY', value: 'USD' }),
    changes: ['~variables CURRENCY'],
    holds: ({ server }) => expect(variable('CURRENCY', 'PROJECT')(server)).toMatchObject({ value: 'USD' }),
  },
  ...ofKind('helm'),
  ...ofKind('terraform'),
  {
    tool: 'delete_environment_variable',
    case: 'of a project',
    args: () => ({ project: 'shop', key: 'LICENCE_KEY' }),
    changes: ['-variables LICENCE_KEY'],
  },
];
