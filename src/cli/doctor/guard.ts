import { constants, existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { tools } from '../../../tools/index.ts';
import { type Config, pageLink } from '../config/index.ts';
import { denialOf, hasSecret, readOperators, type Policy } from '../../server/guard/index.ts';
import { plainMessage } from '../terminal/plain-message.ts';
import { typedProgram } from '../init/launch.ts';
import { typedCommand } from '../wiring/typed-command.ts';
import { configuredWebhook } from '../wiring/approvals-webhook.ts';
import { approvalsConfigOf, auditFilesOf } from '../wiring/guard.ts';
import { unwritablePlaces } from '../wiring/written-places.ts';
import { configuredPolicy, serverPolicy } from '../wiring/policy.ts';
import { offeredTools } from '../wiring/offered-tools.ts';
import { hasAccess } from './data-directory.ts';
import { type DoctorFinding, findingBuilder } from '../../platform/common/index.ts';

const policy = findingBuilder('policy');
const offered = findingBuilder('tools');
const approvals = findingBuilder('approvals');
const webhook = findingBuilder('approvals webhook');
const audit = findingBuilder('audit log');

/** Counts the tools that the options select and the policy allows. */
function toolsFinding(config: Config, rules: Policy): DoctorFinding {
  try {
    const allowed = offeredTools(config).filter((tool) => denialOf(tool, rules) === undefined);
    const summary = `${allowed.length} of ${tools.length} are offered${config.readOnly ? ', read-only' : ''}`;
    return allowed.length > 0
      ? offered.good(summary)
      : offered.note(summary, 'Allow something in the policy file: assistants see no tool at all.');
  } catch (error) {
    return offered.bad(plainMessage(error), `${typedProgram()} tools lists every tool and its toolset.`);
  }
}

/** Checks the policy file, and reports how many tools the policy leaves. */
export async function policyFindings(config: Config): Promise<DoctorFinding[]> {
  try {
    const rules = await configuredPolicy(config);
    return [policy.good(config.policyFile ?? 'no file'), toolsFinding(config, rules)];
  } catch (error) {
    return [policy.bad(plainMessage(error), `Correct the file; ${pageLink('policy')} describes its format.`)];
  }
}

/** Checks the operators file, and that it has everybody whom the policy names. */
async function operatorsFinding(config: Config, path: string): Promise<DoctorFinding> {
  try {
    const names = (await readOperators(path)).map(({ name }) => name);
    await serverPolicy(config);
    return approvals.good(`${path} has ${names.join(', ')}; ${typedCommand(config, 'approve')} lists what waits`);
  } catch (error) {
    return approvals.bad(plainMessage(error), `Correct the file; ${pageLink('guardrails')} describes it.`);
  }
}

/** Checks whether calls can be approved outside clients. */
export async function approvalsFinding(config: Config): Promise<DoctorFinding> {
  if (config.approvalsOperators !== undefined) return operatorsFinding(config, config.approvalsOperators);
  try {
    if (await hasSecret(approvalsConfigOf(config).operator))
      return approvals.good(`an operator secret is set; ${typedCommand(config, 'approve')} lists what waits`);
    return approvals.info(
      "no operator secret is set: high-risk calls are refused if the client can't ask its user, or if a policy requires the operator",
      `To approve them in a terminal instead: ${typedCommand(config, 'approve --set-secret')}`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return approvals.bad(
      `the operator's file can't be read: ${plainMessage(error)}`,
      code === 'EACCES' || code === 'EPERM'
        ? 'Give this user read access to it, or work as the user whose file it is.'
        : `Set the secret again: ${typedCommand(config, 'approve --set-secret')}`,
    );
  }
}

/** Checks the webhook that notifies operators of waiting calls. No finding if none is configured. */
export async function webhookFindings(config: Config): Promise<DoctorFinding[]> {
  try {
    const configured = await configuredWebhook(config);
    return configured
      ? [
          webhook.good(
            `operators are notified through ${configured.target.host}, once a call waits; the receiver was not asked`,
          ),
        ]
      : [];
  } catch (error) {
    return [webhook.bad(plainMessage(error), `Correct it; ${pageLink('configuration')} lists its options.`)];
  }
}

const isProgram = (name: string): boolean => {
  const candidates = name.includes('/')
    ? [name]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return candidates.some((path) => hasAccess(path, constants.X_OK) && statSync(path).isFile());
};

/** Checks whether calls can be recorded. */
export function auditFinding(config: Config): DoctorFinding {
  const program = config.auditCommand?.[0];
  if (program !== undefined) {
    if (isProgram(program)) return audit.good(`goes to ${program}`);
    return audit.bad(
      `${program} can't be started: changes can't be recorded and are therefore refused`,
      'Correct INFRA_AUDIT_COMMAND, or install the program.',
    );
  }
  const { file } = auditFilesOf(config);
  // What is wrong with the data directory is a finding of its own.
  const isBeside = dirname(file) === config.dataDir && !existsSync(file);
  const isWritable = existsSync(file)
    ? hasAccess(file, constants.W_OK)
    : isBeside || unwritablePlaces({ auditFile: file }).length === 0;
  if (isWritable) return audit.good(`${file}; ${typedCommand(config, 'audit verify')} checks it`);
  return audit.bad(
    `${file} can't be written: changes can't be recorded and are therefore refused`,
    'Create its directory, give this user write access, or set another file with INFRA_AUDIT_FILE.',
  );
}
