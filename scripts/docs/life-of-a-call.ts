import { stages, type AnyStage } from '../../src/server/call/index.ts';
import { code, markdownTable } from './markdown.ts';

/** How any stage may fail that reads the platform. */
export const readFailures = ['not_connected', 'api'] as const;

const row = ({ name, does, refuses, reads, replies }: AnyStage, index: number): string[] => [
  `${index + 1}`,
  name,
  does,
  [...new Set([...refuses, ...(reads ? readFailures : [])])].map(code).join(', '),
  replies ?? '',
];

/** What leaves the list of stages before its end, as arrows of the diagram. */
const exits = (list: readonly AnyStage[]): string[] =>
  list.flatMap(({ replies }, index) =>
    replies === undefined || index === list.length - 1 ? [] : [`  s${index} -. "${replies}" .-> reply`],
  );

const diagram = (list: readonly AnyStage[]): string =>
  [
    '```mermaid',
    'flowchart TD',
    '  request(["tools/call, resources/read, completion/complete"]) --> s0',
    ...list.map(({ name }, index) => `  s${index}["${index + 1}. ${name}"]`),
    ...list.slice(1).map((_, index) => `  s${index} --> s${index + 1}`),
    `  s${list.length - 1} --> reply(["the reply"])`,
    ...exits(list),
    '  reply -. "the same call, with the user\'s answer or an approval" .-> s0',
    '```',
  ].join('\n');

/** docs/life-of-a-call.md: from the arguments to the answer, from the list that calls go through. */
export const lifeOfACallPage = (): string => {
  const { list } = stages;
  return `${[
    '# The life of a call',
    'For developers. Every call of a tool goes through these stages, in this order, and so does whatever else reads the platform: resources, prompts, completions and subscriptions. What the server knows by itself, such as `infra://policy` or a list of fixed values, needs no call. The list is `src/server/call/stages/stages.ts`; a stage is a function in `src/server/call/stages/`, and its test is in `test/server/call/stages.test.ts`.',
    diagram(list),
    '## Stages',
    'A stage ends the call with one of the failures it names ([what each says](errors.md)), or with a reply. `api` stands for any failure of the platform, `not_connected` for having none; any stage that reads may end so. A call that changes nothing passes the stages about changes untouched.',
    markdownTable(['', 'Stage', 'What it does', 'Refuses with', 'May reply with'], list.map(row)),
    '## Around the stages',
    [
      "- Before the first stage, `src/server/call/run-call.ts` takes the controls (`dry_run`, `plan_token`, `value_from_env`) out of the arguments, and creates the call's redactor and its reader of the platform.",
      "- After the last one, or where a stage ended the call, it puts failures into words and records the outcome. The record is written even if the answer can't be shown. Of completions and subscriptions, only failures are recorded.",
      '- Where somebody has to agree, the call ends with the question. It comes again with the answer, or after an approval, and passes all stages again: what changed in between can still end it. `confirm` then finds the agreement.',
      '- An unexpected error never reaches the caller. The caller gets the id of the request, under which the log has the reason (`src/server/call/run-call.ts`).',
      '- No stage before `send` changes anything on the platform. What the stages before it use up is an agreement and the limit of high-risk changes.',
    ].join('\n'),
  ].join('\n\n')}\n`;
};
