import { waitingCallUri, type CallState, type Progress } from '../../guard/index.ts';
import { omit } from '../../json/index.ts';
import { withAges } from '../../output/index.ts';
import { delimitedInline } from '../../redaction/index.ts';
import type { OwnReading, OwnResource } from './resource.ts';

const decidedWhere: Record<Extract<Progress, { how: unknown }>['how'], string> = {
  terminal: 'in a terminal',
  page: 'on the approvals page',
  chat: "in the team's chat",
};

const agreedText = (by: readonly string[] | undefined, how: keyof typeof decidedWhere): string =>
  `The operator${by === undefined ? '' : ` ${by.join(' and ')}`} agreed ${decidedWhere[how]}.`;

type ProgressTexts = {
  readonly [Kind in Progress['kind']]: (
    progress: Extract<Progress, { kind: Kind }>,
    call: CallState,
    redactor: OwnReading['redactor'],
  ) => string;
};

/** What each state means, and what to do next. */
const progressTexts: ProgressTexts = {
  waiting: ({ agreed }) =>
    `${agreed ? `${agreed.count} of ${agreed.needed} operators agreed.` : 'Nobody has decided yet.'} Subscribe to this, or read it again: the call need not be repeated to find out.`,
  approved: ({ by, how }, { plan }) =>
    `${agreedText(by, how)} Call ${plan.tool} again with the same arguments before it expires. The approval counts once.`,
  refused: ({ by, reason }, _, redactor) =>
    `The operator${by === undefined ? '' : ` ${by}`} refused it${reason === undefined ? '' : `, with the reason ${delimitedInline(redactor.text(reason))}`}. Tell the user, and do not call it again unless they ask for it.`,
  invalid: (_, { plan }) =>
    `What should show that somebody decided does not come from an operator, and doesn't count. Call ${plan.tool} again to ask for a new decision.`,
  used: ({ by, how }) =>
    `${agreedText(by, how)} The call was made with that, and its answer says how it went. The approval counts once.`,
  changed: (_, { plan }) =>
    `Somebody decided, and then what it acts on, or who may decide, changed: the decision doesn't count. Look at the plan again, and call ${plan.tool} again if it is still wanted.`,
  replaced: () =>
    'What it acts on, or who may decide, changed before anybody decided. The call waits under another code, which its latest answer has.',
  expired: (_, { plan }) =>
    `Nobody decided in time, or the call was not repeated in time. Nothing has changed. Call ${plan.tool} again if it is still wanted.`,
};

const progressText = (call: CallState, redactor: OwnReading['redactor']): string =>
  (
    progressTexts[call.progress.kind] as (
      progress: Progress,
      call: CallState,
      redactor: OwnReading['redactor'],
    ) => string
  )(call.progress, call, redactor);

const isoTime = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/** The state of a call as text for a model. */
function approvalText(call: CallState, { redactor, now }: OwnReading): string {
  const { code, plan, progress, askedAt, expiresAt, endedAt, isOpen } = call;
  const { path, id, kind } = plan.target;
  const lines = [
    `# Call ${code}`,
    '',
    `- State: ${progress.kind}`,
    `- Call: ${plan.tool} (${plan.tier}) on ${delimitedInline(redactor.text(path ?? id ?? kind))}`,
    `- Waiting since: ${isoTime(askedAt)}`,
    ...(isOpen ? [`- Expires: ${isoTime(expiresAt)}`] : []),
    ...(endedAt === undefined ? [] : [`- Ended: ${isoTime(endedAt)}`]),
  ];
  return `${withAges(lines.join('\n'), now)}\n\n${progressText(call, redactor)}`;
}

/** What became of a call that waits for an operator. Only whoever made the call finds something at it. */
export const approvalResource: OwnResource = {
  name: 'approval',
  uri: waitingCallUri('{code}'),
  title: 'A call that waits',
  description:
    'Whether operators agreed to a call of yours that waits under a code, refused it and why, or let it expire, and what to do next.',
  readOwn: async (uri, reading) => {
    const call = await reading.approvals?.stateOf(uri.slice(waitingCallUri('').length), reading.principal, reading.now);
    if (!call) return undefined;
    const { kind, ...more } = call.progress;
    return {
      text: approvalText(call, reading),
      state: {
        code: call.code,
        state: kind,
        waiting_since: isoTime(call.askedAt),
        expires_at: isoTime(call.expiresAt),
        ...omit(more, ['by', 'reason']),
        ...('by' in more && more.by !== undefined && { by: [more.by].flat() }),
        ...('reason' in more && more.reason !== undefined && { reason: reading.redactor.text(more.reason) }),
      },
      isMoving: call.isOpen,
    };
  },
};
