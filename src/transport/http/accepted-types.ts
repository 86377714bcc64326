const json = 'application/json';
const events = 'text/event-stream';

/** Whether a range of an Accept header includes a media type: itself, its main type, or all. Weight 0 excludes it. */
function includes(range: string, type: string): boolean {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  return (
    [type, type.replace(/\/.*/, '/*'), '*/*'].includes(name) &&
    !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  );
}

/**
 * Adds the media types of MCP that an Accept header includes in ranges such as `application/*`, because the MCP library
 * looks for their names. A missing header includes all.
 */
export function nameAcceptedTypes(headers: Headers): void {
  const given = headers.get('accept') ?? '*/*';
  const ranges = given.split(',');
  const accepted = [json, events].filter((type) => ranges.some((range) => includes(range, type)));
  headers.set('accept', [given, ...accepted.filter((type) => !given.includes(type))].join(', '));
}
