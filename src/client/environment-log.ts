import { isoTime, isRecord } from '../contract/index.ts';

type Row = Readonly<Record<string, unknown>>;

const textIn = (row: unknown, name: string): string | undefined => {
  const value = isRecord(row) ? row[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};

function timeIn({ timestamp }: Row): string | undefined {
  return typeof timestamp === 'string' && Number.isNaN(Number(timestamp)) ? timestamp : isoTime(timestamp);
}

/** The text of a record: the message that may be shown, then the details of its error. */
function messageOf({ message, error }: Row): string | undefined {
  const hint = textIn(error, 'hint_message');
  const underlying = isRecord(error) ? textIn(error['underlying_error'], 'message') : undefined;
  const parts = [
    textIn(message, 'safe_message'),
    textIn(error, 'user_log_message'),
    underlying,
    hint && `Hint: ${hint}`,
  ];
  const texts = [...new Set(parts.filter((part) => part !== undefined))];
  return texts.length === 0 ? undefined : texts.join('\n');
}

const isLogRecord = (row: unknown): row is Row =>
  isRecord(row) &&
  typeof row['message'] !== 'string' &&
  (isRecord(row['message']) || isRecord(row['error']) || isRecord(row['details']));

/** A record of a deployment log as a log line: members that already have the contract's names stay. */
function lineOf(row: Row): Row {
  const details = isRecord(row['details']) ? row['details'] : {};
  const members = {
    created_at: timeIn(row),
    message: messageOf(row) ?? '',
    step: textIn(details['stage'], 'step'),
    service_id: textIn(details['transmitter'], 'id'),
    service_name: textIn(details['transmitter'], 'name'),
    deployment_request_id: textIn(details, 'execution_id'),
    level: isRecord(row['error']) ? 'error' : textIn(row, 'type'),
  };
  const missing = Object.entries(members).filter(
    ([name, value]) => value !== undefined && (name === 'message' || row[name] === undefined || row[name] === null),
  );
  return { ...row, ...Object.fromEntries(missing) };
}

/** A line with the level from its `type`, if it has no `level`. */
function withLevel(row: unknown): unknown {
  const level = textIn(row, 'type');
  return isRecord(row) && level !== undefined && textIn(row, 'level') === undefined ? { ...row, level } : row;
}

/**
 * The rows of an environment's log in one shape. Some platforms return lines, others records of their deployments, with
 * the sender, the stage, a message in two versions and the details of an error. In both, `type` may be the level.
 */
export const logLinesIn = (rows: readonly unknown[]): unknown[] =>
  rows.map((row) => (isLogRecord(row) ? lineOf(row) : withLevel(row)));
