import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import { composeTool, record } from '../../src/server/tool/index.ts';

export const getApiBudget = composeTool({
  name: 'get_api_budget',
  toolset: 'organization',
  title: 'Quota: how many requests left',
  description: 'API requests (calls) left in a quota (rate limit) per hour, reset time.',
  input: {},
  operations: [operations.get_organization],
  needsBudget: true,
  output: z.object({ remaining: z.int(), limit: z.int(), reset_at: z.string(), seconds_to_reset: z.int() }),
  answer: async (_, context) => {
    if (!context.budget()) await context.read(operations.get_organization, {});
    const budget = context.budget();
    if (!budget) return context.refuse('the platform does not tell what is left', 'Make few and wide requests.');
    const { remaining, limit, resetAt } = budget;
    return {
      remaining,
      limit,
      reset_at: new Date(resetAt).toISOString(),
      seconds_to_reset: Math.max(0, Math.round((resetAt - context.now()) / 1000)),
    };
  },
  render: record({ first: ['remaining', 'limit', 'reset_at', 'seconds_to_reset'] }),
});
