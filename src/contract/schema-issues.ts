import * as z from 'zod';
import { nearestName } from './nearest-name.ts';
import { repeated } from './whole-characters.ts';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;
type IssueOf<Code extends Issue['code']> = z.core.$ZodRawIssue<Extract<Issue, { code: Code }>>;

/** Where a value is in another one. */
export type ValuePath = readonly (string | number)[];

/** Formats a path for people: `ports[0].name`. */
export const printPath = (path: ValuePath): string =>
  repeated(
    path.reduce<string>(
      (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text ? `${text}.${step}` : step),
      '',
    ),
  );

const object = 'an object';
const list = 'a list';

/** The types that zod expects, as people call them. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  date: 'a date',
  object,
  record: object,
  map: object,
  array: list,
  tuple: list,
  set: list,
};

/** What a value is, without the value, which may be secret. */
function foundType(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (Array.isArray(value)) return list;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a number with a fraction';
  return typeNames[typeof value] ?? typeof value;
}

const isRequired = 'is required';

function wrongType({ expected, input }: IssueOf<'invalid_type'>): string {
  if (['never', 'undefined', 'void'].includes(expected)) return 'must be left out';
  return input === undefined
    ? isRequired
    : `must be ${typeNames[expected] ?? `of the type ${expected}`}, not ${foundType(input)}`;
}

/** A word that may be used, in quotation marks where it would be taken for something else without. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' && !/^(?:|true|false|null|[\d.-]+|.*[\s,].*)$/s.test(value) ? value : JSON.stringify(value);

const wordsOf = (values: readonly unknown[]): string =>
  values.length === 1 ? wordOf(values[0]) : `one of ${values.map(wordOf).join(', ')}`;

function wrongValue({ values, input }: IssueOf<'invalid_value'>): string {
  if (input === undefined) return isRequired;
  const isOtherType = values.every((value) => typeof value !== typeof input);
  return `must be ${wordsOf(values)}${isOtherType ? `, not ${foundType(input)}` : ''}`;
}

const counted = (count: number | bigint, one: string, many: string): string =>
  `${count} ${Number(count) === 1 ? one : many}`;

/** What has a length, and in what it is counted. */
const lengths: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
};

/** A number or a date that was found. The length of a text may be that of a secret. */
const foundAmount = (input: unknown): string =>
  typeof input === 'number' || typeof input === 'bigint'
    ? `, not ${input}`
    : Array.isArray(input)
      ? `, not ${input.length}`
      : '';

const amount = (origin: string, bound: number | bigint): string =>
  origin === 'date' ? new Date(Number(bound)).toISOString() : String(bound);

function outOfBounds(
  { origin, inclusive, exact, input }: IssueOf<'too_small' | 'too_big'>,
  bound: number | bigint,
  [least, beyond]: readonly [inclusive: string, exclusive: string],
): string {
  const length = lengths[origin];
  if (!length) return `must be ${inclusive === false ? beyond : least} ${amount(origin, bound)}${foundAmount(input)}`;
  if (least === 'at least' && Number(bound) === 1 && !exact) return 'must not be empty';
  const words = exact ? 'exactly' : inclusive === false ? beyond : least;
  return `must have ${words} ${counted(bound, ...length)}${foundAmount(input)}`;
}

/** The forms of texts, as people call them. */
const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'an address with its scheme, such as https://example.com',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a time such as 2026-01-31T09:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time of day such as 09:00:00',
  duration: 'a duration such as PT8H',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range of IPv4 addresses such as 10.0.0.0/8',
  cidrv6: 'a range of IPv6 addresses such as fd00::/8',
  base64: 'text in base64',
  base64url: 'text in base64url',
  json_string: 'JSON',
  jwt: 'a JSON Web Token',
};

const formParts: readonly (readonly [member: string, words: string])[] = [
  ['prefix', 'start with'],
  ['suffix', 'end with'],
  ['includes', 'contain'],
];

function wrongForm(issue: IssueOf<'invalid_format'>): string {
  const { format, pattern } = issue;
  const part = formParts.find(([member]) => typeof issue[member] === 'string');
  if (part) return `must ${part[1]} ${JSON.stringify(issue[part[0]])}`;
  if (format === 'regex' && pattern !== undefined) return `must match the pattern ${pattern}`;
  return `must be ${formats[format] ?? `of the form ${format}`}`;
}

const isAboutAll = ({ path, code }: Issue): boolean =>
  path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');

/** The alternative that was probably meant: the one with the fewest issues, of those whose type is that of the value. */
const meantOf = (alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  alternatives
    .filter((issues) => issues.length > 0 && !issues.some(isAboutAll))
    .toSorted((one, other) => one.length - other.length)[0];

/** What one alternative may be, if the value is of another type. */
const alternativeText = ([issue]: readonly Issue[]): string | undefined =>
  issue?.code === 'invalid_type'
    ? (typeNames[issue.expected] ?? issue.expected)
    : issue?.code === 'invalid_value'
      ? wordsOf(issue.values)
      : undefined;

/** The issues of the alternative that was probably meant, as a text. */
const meantText = (meant: readonly Issue[]): string =>
  meant
    .map(({ path, message }) => (path.length > 0 ? `${printPath(path as ValuePath)}: ${message}` : message))
    .join('; ');

function noAlternative({ errors, options, inclusive, input }: IssueOf<'invalid_union'>): string {
  if (inclusive === false) return 'must be only one of the alternatives';
  if (input === undefined) return isRequired;
  if (options && options.length > 0) return `must be ${wordsOf(options)}`;
  const meant = meantOf(errors);
  if (meant) return meantText(meant);
  const texts = [...new Set(errors.flatMap((issues) => alternativeText(issues) ?? []))];
  return texts.length === 0 ? 'is not valid' : `must be ${texts.join(' or ')}, not ${foundType(input)}`;
}

/** A sentence without its subject for each kind of issue, such as: must be text, not a list. */
const sentences: { readonly [Code in Issue['code']]: (issue: IssueOf<Code>) => string } = {
  invalid_type: wrongType,
  invalid_value: wrongValue,
  too_small: (issue) => outOfBounds(issue, issue.minimum, ['at least', 'more than']),
  too_big: (issue) => outOfBounds(issue, issue.maximum, ['at most', 'less than']),
  invalid_format: wrongForm,
  not_multiple_of: ({ divisor, input }) => `must be a multiple of ${divisor}${foundAmount(input)}`,
  unrecognized_keys: ({ keys }) =>
    `has ${keys.map((key) => `"${repeated(key)}"`).join(', ')}, which ${keys.length === 1 ? 'is' : 'are'} not known here`,
  invalid_union: noAlternative,
  invalid_key: ({ issues }) => `as a name, ${issues[0]?.message ?? 'is not valid'}`,
  invalid_element: ({ issues }) => issues[0]?.message ?? 'is not valid',
  custom: () => 'is not valid',
};

/** The sentence of an issue that its schema has no words for. */
const sentenceOf = (issue: RawIssue): string => (sentences[issue.code] as (issue: RawIssue) => string)(issue);

// Schemas speak like this everywhere, so that no caller can forget to translate the words of the library.
z.config({ localeError: sentenceOf });

/** An issue with a part of a value. */
export interface SchemaIssue {
  readonly path: ValuePath;
  /** A sentence without its subject. It repeats no text of the value. */
  readonly text: string;
  /** What the schema said. */
  readonly issue: z.core.$ZodIssue;
}

/** The parts of a schema's definition that have members in them. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The schemas of which one describes the same value as a schema around them. */
const within = ({ options = [], innerType, in: input, out }: Definition): readonly z.ZodType[] => [
  ...options,
  // What a transform takes in comes out of it as anything: the members are those of what follows it.
  ...[innerType, input, out].filter((each) => each !== undefined),
];

/** The names of the members that an object may have at a path of a schema. */
function knownMembers(schema: z.ZodType, path: ValuePath): readonly string[] {
  const [step, ...rest] = path;
  const definition = schema.def as Definition;
  const { shape, element, valueType } = definition;
  if (shape && step === undefined) return Object.keys(shape);
  const below = shape && Object.hasOwn(shape, step!) ? shape[step!] : (element ?? valueType);
  if (below && step !== undefined) return knownMembers(below, rest);
  return [...new Set(within(definition).flatMap((each) => knownMembers(each, path)))];
}

/** Says that a member is not known, and which one was probably meant, or which there are. */
function notKnown(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  const hint = near === undefined ? known.length > 0 && `known here: ${known.join(', ')}` : `did you mean "${near}"?`;
  return hint === false ? 'is not known here' : `is not known; ${hint}`;
}

const flatten = (issue: Issue, schema: z.ZodType | undefined, above: ValuePath): readonly SchemaIssue[] => {
  const path = [...above, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys') {
    const known = schema ? knownMembers(schema, path) : [];
    return issue.keys.map((key) => ({ path: [...path, key], text: notKnown(key, known), issue }));
  }
  const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : undefined;
  // A schema may have said it in words of its own.
  return meant && issue.message === meantText(meant)
    ? meant.flatMap((each) => flatten(each, schema, path))
    : [{ path, text: issue.message, issue }];
};

/**
 * The issues with a value that a schema refused, each with the path of the part: for a union, those of the alternative
 * that was probably meant, and one for each unknown member.
 * @param schema if given, says of unknown members which are known
 */
export const issuesIn = ({ issues }: z.core.$ZodError, schema?: z.ZodType): readonly SchemaIssue[] =>
  issues.flatMap((issue) => flatten(issue, schema, []));

/**
 * The issues with a value, each as a text with its path.
 * @param whole the name of the value itself, such as: the file
 */
export const issueTexts = (error: z.core.$ZodError, whole: string, schema?: z.ZodType): readonly string[] =>
  issuesIn(error, schema).map(({ path, text }) => `${path.length > 0 ? printPath(path) : whole}: ${text}`);
