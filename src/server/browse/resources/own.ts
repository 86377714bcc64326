import { operations } from '../../../contract/operations.ts';
import { record } from '../../tool/render.ts';
import { policyText } from './policy-text.ts';
import { platformResource, type Resource } from './resource.ts';

/** The request budget, the policy and the states that services go through. */
export const aboutServing: readonly Resource[] = [
  platformResource({
    name: 'budget',
    uri: 'infra://budget',
    title: 'Request budget',
    description: 'How many requests to the platform are left, and until when.',
    toolset: 'organization',
    input: {},
    operations: [operations.get_organization],
    read: async (_, { read, budget, now }) => {
      // It comes with answers: before the first one nobody knows it.
      if (!budget()) await read(operations.get_organization, {});
      const known = budget();
      if (!known) return { budget: 'This platform does not tell how many requests are left.' };
      const { remaining, limit, resetAt, seenAt } = known;
      return { remaining, limit, reset_at: new Date(resetAt).toISOString(), seconds_until_reset: Math.max(0, Math.round((resetAt - now()) / 1000)), seen_at: new Date(seenAt).toISOString() };
    },
    render: record({ first: ['remaining', 'limit'] }),
  }),
  {
    name: 'policy',
    uri: 'infra://policy',
    title: 'Policy',
    description: 'What the operator of this server allows: rules, limits, and what needs agreement.',
    text: async ({ policy }) => policyText(policy),
  },
  {
    name: 'states',
    uri: 'infra://states',
    title: 'States',
    description: 'The states that services, clusters and alert rules go through, as a diagram and tables, measured on the embedded platform.',
    text: async ({ texts }) => texts.states(),
  },
];
