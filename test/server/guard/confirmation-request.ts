import type { ConfirmationRequest } from '../../../src/server/guard/confirmation/confirmation.ts';

/** A request to stop an environment, but for what a test says. */
export const confirmationRequest = ({ args = {}, tool = 'stop_environment', digest = 'as read', mayBeUnattended = false, operatorOnly = false, planToken }: {
  args?: Record<string, unknown>; tool?: string; digest?: string; mayBeUnattended?: boolean; operatorOnly?: boolean; planToken?: string;
} = {}): ConfirmationRequest => ({
  args,
  plan: {
    tool, tier: 'destructive', target: { kind: 'environment', id: 'e-1', name: 'prod', mode: 'PRODUCTION', path: 'shop/prod' }, summary: 'Stop it.',
    requests: [{ method: 'POST', path: '/environment/e-1/stop' }], effects: [], digest,
  },
  question: { message: 'Stop "shop/prod"?', typed: 'shop/prod' },
  planToken,
  mayBeUnattended,
  operatorOnly,
});
