import { firstPart, shortened } from '../../../../contract/index.ts';
import { longestReason } from '../reason.ts';
import type { ChatDecision } from './channel.ts';
import { buttonLooks, elsewhereText, type FormQuestion, type MessageContent } from './message.ts';

/** Limits of Block Kit, in characters as they are sent. */
const longest = { text: 3_000, field: 2_000 } as const;

/** What Slack reads as the beginning of its markup, written out. Slack shows the characters themselves. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A text that is shown as it is, without links, mentions, emoji or formatting. Cut if it is too long. */
function plain(text: string, most: number = longest.text): object {
  let part = text;
  while (escaped(part).length > most)
    part = shortened(part, part.length - Math.ceil((escaped(part).length - most) / 5));
  return { type: 'plain_text', emoji: false, text: escaped(part) };
}

const section = (text: string): object => ({ type: 'section', text: plain(text) });

/** A text in parts that each fit a block, at ends of lines where there are some. */
function parts(text: string): string[] {
  // Escaped, a character takes up to five.
  if (escaped(text).length <= longest.text) return [text];
  let part = firstPart(text, longest.text);
  while (escaped(part).length > longest.text) part = firstPart(part, part.length - 100);
  const end = part.lastIndexOf('\n') + 1;
  const first = end > 0 ? text.slice(0, end) : part;
  return [first, ...parts(text.slice(first.length))];
}

const button = (verdict: ChatDecision['verdict'], content: MessageContent): object => ({
  type: 'button',
  action_id: verdict,
  style: buttonLooks[verdict].style,
  text: plain(buttonLooks[verdict].name),
  // It comes back when somebody presses the button.
  value: JSON.stringify([content.code, content.plan]),
});

/** A message about a waiting call, as Block Kit. What isn't ours is in texts that Slack doesn't read as markup. */
export function slackMessage(content: MessageContent): { readonly text: string; readonly blocks: readonly object[] } {
  const { code, tool, target, warning, facts, text, page, verdicts, outcome } = content;
  const elsewhere = elsewhereText(content);
  return {
    // Shown in notifications.
    text: escaped(`${outcome?.text ?? 'A call waits for approval.'} ${tool}, ${code}`),
    blocks: [
      { type: 'header', text: plain(`${tool} ${code}`, 150) },
      ...(warning === undefined ? [] : [section(warning)]),
      section(target),
      { type: 'section', fields: facts.map(({ name, value }) => plain(`${name}: ${value}`, longest.field)) },
      { type: 'divider' },
      ...parts(text).map(section),
      ...(elsewhere === undefined ? [] : [section(elsewhere)]),
      ...(page === undefined
        ? []
        : [
            {
              type: 'context',
              elements: [{ type: 'mrkdwn', text: `<${escaped(page)}|This call on the approvals page>` }],
            },
          ]),
      ...(outcome === undefined ? [] : [section(outcome.text)]),
      ...(outcome?.reason === undefined ? [] : [section(`Reason: ${outcome.reason}`)]),
      ...(verdicts.length === 0
        ? []
        : [{ type: 'actions', elements: verdicts.map((verdict) => button(verdict, content)) }]),
    ],
  };
}

/** What only one person sees. */
export const slackWhisper = (text: string): object => ({ text: escaped(text), blocks: [section(text)] });

/**
 * A form, as a view of Slack. Block and element have the name of its field.
 * @param id comes back with the form, as does `state`: people can't change them.
 */
export function slackForm({ title, about, field, typed }: FormQuestion, id: string, state: string): object {
  const { name, label, submit, isOptional } = field;
  return {
    type: 'modal',
    callback_id: id,
    private_metadata: state,
    title: plain(title, 24),
    submit: plain(submit),
    close: plain('Cancel'),
    blocks: [
      section(about),
      ...(typed === undefined ? [] : [section('To approve it, type:'), ...parts(typed).map(section)]),
      {
        type: 'input',
        block_id: name,
        optional: isOptional,
        label: plain(label),
        element: {
          type: 'plain_text_input',
          action_id: name,
          multiline: isOptional,
          max_length: isOptional ? longestReason : longest.text,
        },
      },
    ],
  };
}
