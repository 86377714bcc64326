import { clean } from '../../../server/redaction/index.ts';
import type { WaitingSecret } from '../../../server/guard/index.ts';
import { emptyHtml, html, type Html } from '../console/html.ts';
import type { OperatorSession } from '../console/operator-sessions.ts';
import { formTokenInput, type PagePaths, timeMarkup } from '../console/page-frame.ts';

/** The secrets that wait for the operator, each with a button that shows it; empty if there are none. */
export function secretsSection(
  secrets: readonly WaitingSecret[],
  { operator, paths, now }: { readonly operator: OperatorSession; readonly paths: PagePaths; readonly now: number },
): Html {
  if (secrets.length === 0) return emptyHtml;
  const rows = secrets.map(({ code, about, since, expiresAt }) => {
    const title = `secret-title-${code}`;
    return html`<article id="secret-${code}" class="call" aria-labelledby="${title}"><h3 id="${title}">${clean(about)} <span class="code">${code}</span></h3>
<dl class="facts"><dt>Created</dt><dd>${timeMarkup(since, now)}</dd><dt>Expires</dt><dd>${timeMarkup(expiresAt, now)}</dd></dl>
<form method="post" action="${paths.page}">${formTokenInput(operator)}<input type="hidden" name="code" value="${code}"><button name="do" value="show" aria-describedby="${title}">Show it, once</button></form></article>`;
  });
  return html`<section id="secrets" aria-labelledby="secrets-title" data-parts><h2 id="secrets-title">New secrets</h2>
<p id="secrets-why" class="muted">No assistant has seen them. Each is shown once; what is not looked at in time is lost, and has to be revoked.</p>
${rows}</section>`;
}

/** The content of a page that shows a secret. It is not stored anywhere, and can't be shown again. */
export const secretPage = (paths: PagePaths, { about, value }: { readonly about: string; readonly value: string }) =>
  html`<h2>${clean(about)}</h2>
<p class="said" role="status" tabindex="-1" autofocus>Store it now: it is not shown again.</p>
<pre id="secret">${value}</pre>
<p><a href="${paths.page}">Back to the approvals</a></p>`;
