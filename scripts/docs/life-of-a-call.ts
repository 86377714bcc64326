import { stages, type AnyStage } from '../../src/server/call/index.ts';
import { code, markdownTable } from './markdown.ts';

const row = ({ name, does, refuses, reads, replies }: AnyStage, index: number): string[] =>
  [`${index + 1}`, name, does, [...refuses, ...(reads ? ['api'] : [])].map(code).join(', '), replies ?? ''];

/** What leaves the list of stages before its end, as arrows of the diagram. */
const exits = (list: readonly AnyStage[]): string[] =>
  list.flatMap(({ replies }, index) => (replies === undefined || index === list.length - 1 ? [] : [`  s${index} -. "${replies}" .-> reply`]));

const diagram = (list: readonly AnyStage[]): string =>
  [
    '```mermaid', 'flowchart TD',
    '  request(["tools/call, resources/read, completion/complete"]) --> s0',
    ...list.map(({ name }, index) => `  s${index}["${index + 1}. ${name}"]`),
    ...list.slice(1).map((_, index) => `  s${index} --> s${index + 1}`),
    `  s${list.length - 1} --> reply(["the reply, and the outcome on record"])`,
    ...exits(list),
    '```',
  ].join('\n');

/** docs/life-of-a-call.md: from the arguments to the answer, from the list that calls go through. */
export const lifeOfACallPage = (): string => {
  const { list } = stages;
  return `${[
    '# The life of a call',
    'Every call of a tool, every read of a resource and every completion goes through these stages, in this order. The list is `src/server/call/stages.ts`; a stage is a function in `src/server/call/stages/`, and its test is in `test/server/call/stages.test.ts`.',
    diagram(list),
    '## Stages',
    'A stage ends the call with one of the failures it names ([what each says](errors.md)), or with a reply. `api` stands for any failure of the platform. A call that changes nothing passes the stages about changes untouched.',
    markdownTable(['', 'Stage', 'What it does', 'Refuses with', 'May reply with'], list.map(row)),
    '## Around the stages',
    [
      '- Before the first stage, `src/server/call/run-call.ts` takes the controls (`dry_run`, `plan_token`, `value_from_env`) out of the arguments, and creates the call\'s redactor and its reader of the platform.',
      '- After the last one, or where a stage ended the call, it puts failures into words and records the outcome. The record is written even if the answer can\'t be shown.',
      '- An unexpected error never reaches the caller. The caller gets the id of the request, under which the log has the reason (`src/server/call/last-resort.ts`).',
      '- No stage before `send` changes anything on the platform. What the stages before it use up is an agreement and the limit of high-risk changes.',
    ].join('\n'),
  ].join('\n\n')}\n`;
};
