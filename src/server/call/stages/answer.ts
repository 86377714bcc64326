import { CallFailure, fail, failureOf } from '../../failure/index.ts';
import { pick, type JsonRecord } from '../../json/index.ts';
import { factLines } from '../../guard/index.ts';
import { answerReply } from '../../output/index.ts';
import { answerSchema, toolAnswerSchema, type ToolContext } from '../../tool/index.ts';
import type { SentCall } from '../call.ts';
import { operationText } from '../descriptions.ts';
import type { Stage } from '../stage.ts';
import { toolContextOf } from '../tool-context.ts';

/**
 * An answer that may be shown. What it has from the answer of the call's only request shows values that the caller gave
 * as given, also beside members that the tool added: a value that is hidden there would confirm a guess.
 */
const protectAnswer = async (
  { tool, args, operations, redactor, answers }: SentCall,
  answer: JsonRecord,
): Promise<JsonRecord> => {
  const schema = toolAnswerSchema(tool);
  const shown = async (part: JsonRecord, given?: JsonRecord): Promise<JsonRecord> =>
    (await redactor.valueInPieces(part, schema, given)) as JsonRecord;
  const [only, ...others] = answers;
  if (only === undefined || others.length > 0 || operations.length > 1) return shown(answer);
  if (answer === only) return shown(answer, args);
  const own = Object.keys(answer).filter((name) => Object.hasOwn(only, name) && answer[name] === only[name]);
  // Both times as a whole: what stands beside a member can make it secret.
  const [hidden, asGiven] = await Promise.all([shown(answer), shown(answer, args)]);
  return { ...hidden, ...pick(asGiven, own) };
};

/** Replaced records before and after, as they may be shown: values that the caller gave are shown as given. */
const replacementsOf = ({ operations, answers, args, redactor }: SentCall): ReturnType<ToolContext['replacements']> =>
  operations.flatMap(({ operation, replaces }, index) => {
    if (!replaces) return [];
    const schema = answerSchema(operation);
    return [
      {
        before: redactor.value(replaces, schema) as JsonRecord,
        after: redactor.value(answers[index] ?? {}, schema, args) as JsonRecord,
      },
    ];
  });

const isNotAsAsked = (error: unknown): boolean => error instanceof CallFailure && error.failure.kind === 'not_as_asked';

/** Creates the answer. */
export const makeAnswer: Stage<SentCall, never> = {
  name: 'answer',
  does: 'Makes the answer from what the platform answered and what the tool reads now: cleaned, masked, delimited, rendered.',
  refuses: ['afterwards', 'denied', 'not_as_asked', 'not_possible'],
  reads: true,
  replies: 'the answer',
  run: async (sent) => {
    const { tool, args, operations, context, deps, redactor } = sent;
    const changed = operations.filter(({ operation }) => operation.effect !== 'read');
    const { toolContext, visible, unread } = toolContextOf(sent, {
      shown: true,
      hasChanged: changed.length > 0,
      carriedOut: operations,
      replacements: () => replacementsOf(sent),
    });
    const answers = await Promise.all(
      sent.answers.map(async (one, index) => visible(operations[index]!.operation, operations[index]!.input, one)),
    );
    const call = { ...sent, answers };
    const make = async (): Promise<JsonRecord> =>
      tool.answer ? tool.answer(args, toolContext, answers) : (answers[0] ?? {});
    const answer = await make().catch((error: unknown) =>
      changed.length === 0 || isNotAsAsked(error)
        ? Promise.reject(error as Error)
        : fail({
            kind: 'afterwards',
            done: changed.map(operationText),
            error: failureOf(error, context.requestId, false),
          }),
    );
    const isNoOp = tool.operation.effect !== 'read' && operations.length === 0;
    const shown = await protectAnswer(call, answer);
    const reply = answerReply({ tool, args, context, registry: deps.registry }, shown, unread(), {
      isNoOp,
      // A person sees what they agree to; an answer shows no more than other answers do.
      facts: call.plan && factLines(call.plan).map(redactor.text),
    });
    return { reply, outcome: isNoOp ? { outcome: 'done', why: 'so_already' } : { outcome: 'done' } };
  },
};
