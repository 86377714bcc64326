import { withHeader, type HttpRequest } from './http-request.ts';

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
 * The request with an Accept header that names the media types of MCP, if it includes them in ranges such as
 * `application/*`, because the MCP library looks for their names. A missing header includes all.
 */
export function withNamedTypes(request: HttpRequest): HttpRequest {
  const given = request.headers.get('accept') ?? '*/*';
  const missing = [json, events].filter((type) => !given.includes(type));
  if (missing.length === 0) return request;
  const ranges = given.split(',');
  const accepted = missing.filter((type) => ranges.some((range) => includes(range, type)));
  return withHeader(request, 'accept', [given, ...accepted].join(', '));
}
