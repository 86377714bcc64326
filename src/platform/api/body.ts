import type { FastifyInstance } from 'fastify';
import type { AnyOperation } from '../../contract/operation.ts';
import { type ApiProblem, invalid } from './problem.ts';

// Far beyond any request of the contract, far below what exhausts the stack.
const maximumDepth = 64;

const isNestedTooDeep = (body: unknown): boolean => {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maximumDepth) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
};

const isJson = (contentType: string | undefined): boolean => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '');

/** The refusal of a body that isn't sent as JSON. */
export const wrongContentType = (): ApiProblem => invalid('Content-Type', 'the body must be JSON, sent as application/json');

/**
 * Has the server read JSON bodies and nothing else. No body at all is fine, whatever its type is said to be: clients
 * differ in what they send where the contract defines none.
 */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, text: string, done) => {
    if (text === '') return done(null, undefined);
    if (!isJson(request.headers['content-type'])) {
      return done(wrongContentType());
    }
    return parseJson(request, text, (error, body: unknown) => {
      if (error) return done(invalid('body', 'is not valid JSON'));
      if (isNestedTooDeep(body)) return done(invalid('body', `is nested deeper than ${maximumDepth} levels`));
      return done(null, body);
    });
  });
}

/** The body as its schema expects it: an absent one is empty, other spellings of members are the members' own. */
export function normalBody(op: AnyOperation, body: unknown): unknown {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const given = { ...(body as Record<string, unknown>) };
  for (const [alias, member] of Object.entries(op.aliases)) given[member] ??= given[alias];
  return given;
}
