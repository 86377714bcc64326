import type { JsonSchema } from '../json/index.ts';

/**
 * Descriptions that the documentation has and the list of tools doesn't. Some are said once, in the instructions: how
 * things are named, and the arguments of lists and changes. The others say little more than the name of the member.
 */
const documentedOnly: ReadonlySet<string> = new Set([
  // In the instructions.
  'Path or id.',
  'Name or id.',
  'Key or id.',
  'Or id.',
  'From 1.',
  'Rows.',
  'Columns.',
  'Up to 50 s.',
  'Plan only.',
  // In the name.
  '0: none.',
  'A CDN is in front.',
  'A letter, then letters, digits and _.',
  'Address for invoices.',
  'Address to invite.',
  'Command to start.',
  'As begins.',
  'As listed.',
  'As since.',
  'As stop_time.',
  'Company name.',
  'Family name.',
  'Fill variables into the file.',
  'Days until it ends by itself.',
  'Each line.',
  'Default 20.',
  'Deployments per page, default 20.',
  'e.g. www.example.com.',
  'Extra helm arguments.',
  'Form of a post.',
  'From the deploy.',
  'Free text.',
  'Given name.',
  'How grave it is.',
  'Image tag.',
  'Its lines only.',
  'Its name.',
  'Its value.',
  'Key: value.',
  'Lines KEY=value.',
  'Linked registry.',
  'Groups rules.',
  'Joins the values.',
  'Longest run.',
  'New name.',
  'Newest matches.',
  'Oldest first.',
  'Of entrypoint.',
  'Off if false.',
  'On each new chart version or commit.',
  'On each new tag or commit.',
  'On each new tag.',
  'Only these.',
  'Part of a name.',
  'Postal code.',
  'PromQL expression.',
  'Receives a POST per event.',
  'Seconds.',
  'Street, number.',
  'Such as Europe/Paris.',
  'Tax number.',
  'Town.',
  'Trust any certificate.',
  'Unique in the environment.',
  'Unique in the organization.',
  'Unique in the project.',
  'Retries when it fails.',
  'Seconds before helm is killed.',
  'Shown to whoever is refused.',
  'Value to threshold.',
  'Compared by operator.',
  'Values.',
  'What it is for.',
  'What it is.',
  'What was asked for.',
  'When it fires.',
  'Who is told.',
  'Who reaches it.',
  'Who wrote it.',
  'false switches it off.',
  'Why.',
]);

const all = (schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asListed(schema)]));

/** An input schema without the descriptions that only the documentation needs, at any depth. */
export function asListed({ description, ...schema }: JsonSchema): JsonSchema {
  const { type, properties, items, ...rest } = schema;
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && !documentedOnly.has(description) && { description }),
    ...rest,
    ...(items && { items: asListed(items) }),
    ...(properties && { properties: all(properties) }),
  };
}

/** Every such description, for tests. */
export const documentedOnlyTexts: readonly string[] = [...documentedOnly];
