import { gitProviders, isRecord, operations, parseJson, type AnyOperation } from '../contract/index.ts';
import type { ApiFailure } from './errors.ts';
import { indexOfName, contentRefusals, type SentBody } from './reworded-request.ts';
import type { RawResponse } from './transport.ts';

const member = 'git_repository';

/** Whether a refusal is only about other members of the body. */
const isAboutOthers = (body: object, text: string): boolean =>
  !/provider|repositor|\bgit/i.test(text) &&
  Object.keys(body).some((name) => name !== member && indexOfName(text, name) >= 0);

/**
 * The failure to report if a new application is refused and names no git provider, because none could be determined:
 * platforms that require one don't always say so. Undefined if a provider was sent, or if the refusal is about
 * something else.
 */
export function missingProviderFailure(
  operation: AnyOperation,
  { sentBody }: SentBody,
  { status, text }: RawResponse,
): Pick<ApiFailure, 'reason' | 'next'> | undefined {
  const body =
    operation.name !== operations.create_application.name || sentBody === undefined ? undefined : parseJson(sentBody);
  const repository = isRecord(body) ? body[member] : undefined;
  if (
    !contentRefusals.includes(status) ||
    !isRecord(body) ||
    !isRecord(repository) ||
    repository['provider'] !== undefined ||
    isAboutOthers(body, text)
  )
    return undefined;
  return {
    reason:
      'the platform refuses the request, which names no git provider: neither the host of the repository nor another service from there tells one',
    next: `Ask the user for the provider and give it as ${member}.provider: ${gitProviders.join(', ')}, or another word that this platform has for it. If the platform names something else, change that.`,
  };
}
