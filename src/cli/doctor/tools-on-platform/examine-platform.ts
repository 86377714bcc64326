import type { ApiError, ApiErrorKind, Client } from '../../../client/index.ts';
import type { GivenFlags } from '../../config/index.ts';
import type { Tool } from '../../../server/tool/index.ts';
import { withProgress } from '../../terminal/progress.ts';
import { offeredTools } from '../../wiring/offered-tools.ts';
import { currentClient } from '../current-client.ts';
import { readServerConfig, type ServerKind } from '../doctor.ts';
import { permissionIn } from '../token-claims.ts';
import { readsOfTools } from './reads-of-tool.ts';
import { reportOf, reportText, type PlatformReport } from './report.ts';
import { type OnReadTried, tryReads } from './try-reads.ts';
import { type ToolVerdict, verdictOf } from './verdicts.ts';

/**
 * Examines which tools work on a platform, using only GET requests.
 * @returns the report, and the failure that kept it from reading anything
 */
export async function examinePlatform(
  client: Client,
  tools: readonly Tool[],
  token: string,
  onProgress?: OnReadTried,
): Promise<{ readonly report: PlatformReport; readonly failure?: ApiError }> {
  const tried = await tryReads(client, readsOfTools(tools), onProgress);
  const facts = {
    results: tried.results,
    permission: permissionIn(token),
    reportsBudget: client.budget() !== undefined,
  };
  // Where nothing was answered, nothing was found out about any tool.
  const verdicts = tools.map((tool): ToolVerdict =>
    tried.failure
      ? { tool: tool.name, state: 'not_tried', why: [`it ended early: ${tried.ended}`] }
      : verdictOf(tool, facts),
  );
  return { report: reportOf(tried, verdicts), ...(tried.failure && { failure: tried.failure }) };
}

const headings: Partial<Record<ApiErrorKind, string>> = {
  unreachable: 'No connection to the platform',
  unauthorized: 'The token is refused',
  unclear_organization: 'Unclear organization',
};

/** Describes the failure that kept the examination from reading anything, for the operator. */
function failureText({ kind, reason, detail, next }: ApiError): string {
  const heading = headings[kind] ?? 'Nothing could be read';
  if (kind !== 'unclear_organization') return `${heading}: ${reason}. ${next}`;
  return `${heading}: ${[reason, detail].filter(Boolean).join('. ')}. Choose one with --organization, by its name or id.`;
}

/**
 * `infra-mcp doctor --platform`: reports which tools work on the configured platform. Changes nothing. The exit code is
 * 1 if one doesn't work.
 * @throws Error if the options are invalid, there is no platform or no token, or nothing can be read.
 */
export async function doctorPlatformCommand(
  server: ServerKind,
  flags: GivenFlags,
  { json, verbose = false }: { json?: boolean; verbose?: boolean },
): Promise<void> {
  const { config, findings } = await readServerConfig(server, flags, process.env);
  if (!config)
    throw new Error(findings.map(({ says, todo }) => `${says.replace(/\.$/, '')}. ${todo ?? ''}`.trim()).join('\n'));
  const current = await currentClient(config);
  if (!current)
    throw new Error(
      'There is no platform to examine, or no token for it. Set INFRA_BASE_URL, and INFRA_API_TOKEN or INFRA_API_TOKEN_FILE. A token that may only read is enough.',
    );
  try {
    const tools = offeredTools(config).filter(({ operation }) => !config.readOnly || operation.effect === 'read');
    const { report, failure } = await withProgress('Examining the platform', (update) =>
      examinePlatform(current.client, tools, current.token, (tried, of) =>
        update(`Examining the platform: ${tried} of ${of} reads tried`),
      ),
    );
    // Programs find the reason in the report. People would have to look for it among all the tools.
    if (failure && !json) throw new Error(failureText(failure));
    if (!report.ok) process.exitCode = 1;
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : reportText(report, verbose));
  } finally {
    await current.client.close();
  }
}
