import { longestReason } from '../reason.ts';
import type { ChatDecision } from './channel.ts';
import { buttonLooks, elsewhereText, type FormQuestion, type MessageContent } from './message.ts';

/** A fence that does not occur in a text, of at least so many backticks. */
const fenceFor = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, 1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))));

/** A text on one line as code: Mattermost reads no markup, mentions or links in it. */
function inline(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  const fence = fenceFor(line, 1);
  return line.includes('`') ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/** Lines as code. */
function block(text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}\n${text}\n${fence}`;
}

/** What a button sends back. */
export type ButtonContext = Readonly<Record<string, string>>;

/** Where buttons lead, and what they send back. Without an address, a message has no buttons. */
export interface Buttons {
  readonly url: string | undefined;
  readonly context: (verdict: ChatDecision['verdict'], content: MessageContent) => ButtonContext;
}

/** A message about a waiting call, as the parts of a post. What isn't ours is in code. */
export function mattermostPost(content: MessageContent, { url, context }: Buttons): object {
  const { code, tool, target, warning, facts, text, page, verdicts, outcome } = content;
  const elsewhere = elsewhereText(content);
  const summary = `${outcome?.text ?? 'A call waits for approval.'} ${tool}, ${code}`;
  const lines = [
    ...(warning === undefined ? [] : [`**${warning}**`]),
    inline(target),
    block(text),
    ...(elsewhere === undefined ? [] : [elsewhere]),
    ...(page === undefined ? [] : [`[This call on the approvals page](${page})`]),
    ...(outcome === undefined ? [] : [`**${outcome.text}**`]),
    ...(outcome?.reason === undefined ? [] : [`Reason:\n${block(outcome.reason)}`]),
  ];
  const attachment = {
    fallback: summary,
    title: `${tool} ${code}`,
    text: lines.join('\n\n'),
    fields: facts.map(({ name, value }) => ({ title: name, value: inline(value), short: true })),
    actions:
      url === undefined
        ? []
        : verdicts.map((verdict) => ({
            id: verdict,
            type: 'button',
            ...buttonLooks[verdict],
            integration: { url, context: context(verdict, content) },
          })),
  };
  return { message: summary, props: { attachments: [attachment] } };
}

/** The most that Mattermost takes in a field of one line, and in one of several, in characters. */
const longestField = { text: 150, textarea: 3_000 } as const;

/** A form. @param id comes back with the form, as does `state`: its person can read them. */
export function mattermostForm({ title, about, field, typed }: FormQuestion, id: string, state: string): object {
  const { name, label, submit, isOptional } = field;
  const type = isOptional || (typed ?? '').length > 100 ? 'textarea' : 'text';
  const introduction = [inline(about), ...(typed === undefined ? [] : [`To approve it, type:\n${block(typed)}`])];
  return {
    callback_id: id,
    title,
    introduction_text: introduction.join('\n\n'),
    elements: [
      {
        display_name: label,
        name,
        type,
        optional: isOptional,
        max_length: isOptional ? longestReason : longestField[type],
      },
    ],
    submit_label: submit,
    notify_on_cancel: false,
    state,
  };
}
