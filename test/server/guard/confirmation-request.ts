import type { CallContext } from '../../../src/server/context/index.ts';
import type { Approval, Approvals } from '../../../src/server/guard/approvals/approvals.ts';
import type { Confirmer, ConfirmationRequest } from '../../../src/server/guard/confirmation/confirmation.ts';
import { contextWith } from '../../support/call-context.ts';

/** A request to stop an environment, but for what a test says. */
export const confirmationRequest = ({
  args = {},
  tool = 'stop_environment',
  digest = 'as read',
  mayBeUnattended = false,
  operatorOnly = false,
  planToken,
  twoPerson,
}: {
  args?: Record<string, unknown>;
  tool?: string;
  digest?: string;
  mayBeUnattended?: boolean;
  operatorOnly?: boolean;
  planToken?: string;
  twoPerson?: ConfirmationRequest['twoPerson'];
} = {}): ConfirmationRequest => ({
  args,
  plan: {
    tool,
    tier: 'destructive',
    target: { kind: 'environment', id: 'e-1', name: 'prod', mode: 'PRODUCTION', path: 'shop/prod' },
    summary: 'Stop it.',
    requests: [{ method: 'POST', path: '/environment/e-1/stop' }],
    effects: [],
    digest,
  },
  question: { message: 'Stop "shop/prod"?', typed: 'shop/prod' },
  planToken,
  mayBeUnattended,
  operatorOnly,
  situations: [],
  twoPerson,
});

/** The state that goes out with a question. */
export async function asked(
  confirmer: Confirmer,
  about: ConfirmationRequest,
  context: CallContext = contextWith(),
): Promise<string> {
  const confirmation = await confirmer.confirm(about, context);
  if (confirmation.kind !== 'needs_input') throw new Error(`not asked: ${JSON.stringify(confirmation)}`);
  return confirmation.state;
}

/** An operator who gives one answer after another. */
export const operatorWho = (...answers: Approval[]): Pick<Approvals, 'available' | 'ask'> & { questions: object[] } => {
  const questions: object[] = [];
  return {
    questions,
    available: async () => true,
    ask: async (what) => {
      questions.push(what);
      return answers.shift()!;
    },
  };
};
