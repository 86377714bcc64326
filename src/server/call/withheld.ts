/**
 * What is told where nothing else may be: the answer could not be made, or not made fit to be shown. It holds nothing of
 * what went wrong.
 * @param begun whether a change may have been sent.
 */
export const withheldText = (requestId: string, begun: boolean): string =>
  [
    `This server failed, and withholds the answer, because it could not make sure that no secret is in it. Whoever runs it finds more in its log under request ${requestId}.`,
    begun ? 'Whether a change was made is not known: read the present state before you try again.' : 'Nothing has changed.',
  ].join(' ');
