import { isDown, terminalOutcome } from '../../../contract/index.ts';
import type { LockHolder } from '../lock-holder.ts';
import { quote } from '../evidence.ts';
import { showConfiguration, showErrors, showHistory } from '../inspections.ts';
import { deployAgain, restartLockHolder, useLastGoodChart, waitLongerForHelm } from '../fixes.ts';
import { orInstead } from '../next-calls.ts';
import { type CauseRule } from './rule.ts';
import type { Facts } from '../situation.ts';

const lockText = (facts: Facts): string => {
  const known = [
    facts['who'] && `by ${quote(facts['who'])}`,
    facts['created'] && `since ${quote(facts['created'])}`,
    facts['lock'] && `lock ${facts['lock']}`,
  ];
  return known.filter(Boolean).join(', ');
};

/** The holder of a lock: the service, whether it runs, and who deployed it. */
function holderText({ kind, path, state, by, at }: LockHolder): string {
  const owner =
    by === undefined
      ? ''
      : ` It was last deployed by ${quote(by)}${at === undefined ? '' : ` at ${at}`}: ask there before it is disturbed.`;
  const lives =
    terminalOutcome('DEPLOY', state ?? '') === 'good'
      ? `runs (${state}) and may be at work, or hang`
      : state && isDown(state)
        ? `does not run any more (${state}), so it left the lock behind`
        : `is ${state ?? 'in a state that is not known'}`;
  return `that is an instance of ${kind} ${quote(path)}, which ${lives}.${owner}`;
}

// The bar that terraform draws before each line of an error.
const errorBar = String.raw`^(?:[│╷╵|]\s*)?`;

/** Causes that terraform and helm report. */
export const infrastructureRules: readonly CauseRule[] = [
  {
    code: 'terraform_state_locked',
    layer: 'cause',
    kinds: ['terraform', 'job'],
    supersedes: ['terraform_auth'],
    signs: [
      { pattern: /Error acquiring the state lock/ },
      { pattern: /Error locking state: / },
      { pattern: new RegExp(`${errorBar}\\s*ID:\\s+(?<lock>[0-9a-f-]{8,})\\s*$`), indirect: true },
      { pattern: new RegExp(`${errorBar}\\s*Who:\\s+(?<who>\\S+)\\s*$`), indirect: true },
      { pattern: new RegExp(`${errorBar}\\s*Created:\\s+(?<created>[\\d:. +UTC-]{10,})$`), indirect: true },
    ],
    weigh: (facts, { entries }) =>
      entries.some(({ text }) => /state lock|locking state/.test(text))
        ? undefined
        : facts['lock'] || facts['who'] || facts['created']
          ? 'dismiss'
          : undefined,
    sentence: (facts, { evidence: { lockHolder } }) =>
      `Terraform's state is locked${lockText(facts) ? ` (${lockText(facts)})` : ''}: ${lockHolder ? holderText(lockHolder) : 'another run holds it, or one that was cut off left the lock behind.'}`,
    remedies: [[restartLockHolder, deployAgain], deployAgain, showHistory, showErrors],
  },
  {
    code: 'terraform_auth',
    layer: 'cause',
    kinds: ['terraform', 'job'],
    signs: [
      { pattern: /No valid credential sources found/ },
      {
        pattern:
          /(?:InvalidClientTokenId|ExpiredToken(?:Exception)?|UnrecognizedClientException|SignatureDoesNotMatch|AuthFailure)\b/,
      },
      { pattern: /(?:AccessDenied(?:Exception)?|UnauthorizedOperation|AuthorizationFailed|Forbidden): / },
      { pattern: /is not authorized to perform: (?<action>[\w:-]{3,})/ },
      { pattern: /could not find default credentials/ },
      { pattern: /googleapi: Error 403: / },
      { pattern: /(?:building (?:AzureRM|account) Client|obtain(?:ing)? (?:an )?(?:access|authorization) token).*/ },
      { pattern: /[Ii]nvalid provider configuration/, indirect: true },
      { pattern: /error configuring Terraform \w+ Provider/, indirect: true },
    ],
    sentence: (facts) =>
      facts['action']
        ? `Terraform's credentials may not do ${facts['action']}.`
        : "The provider refuses terraform's credentials: they are missing, wrong or expired, or lack rights.",
    remedies: [showErrors, showConfiguration, deployAgain],
  },
  {
    code: 'terraform_failed',
    layer: 'symptom',
    kinds: ['terraform'],
    signs: [
      { pattern: new RegExp(`${errorBar}Error: (?<message>.+)`) },
      { pattern: new RegExp(`${errorBar}\\s*on (?<file>[\\w./-]+\\.tf) line (?<line>\\d{1,5})`), indirect: true },
    ],
    sentence: (facts) =>
      `Terraform stops${facts['file'] ? ` at ${facts['file']}, line ${facts['line']}` : ''}${facts['message'] ? `: ${quote(facts['message'])}` : ''}.`,
    remedies: [showErrors, showConfiguration, showHistory],
  },
  {
    code: 'helm_operation_in_progress',
    layer: 'cause',
    kinds: ['helm'],
    signs: [
      { pattern: /another operation \(install\/upgrade\/rollback\) is in progress/ },
      { pattern: /release: already exists.*pending-(?:install|upgrade|rollback)/ },
    ],
    sentence: () =>
      'Helm still counts an earlier operation on this release as going on: it runs elsewhere, or was cut off and left the release pending.',
    remedies: [showHistory, deployAgain],
  },
  {
    code: 'helm_chart_invalid',
    layer: 'cause',
    suspectsSettings: true,
    kinds: ['helm'],
    signs: [
      { pattern: /chart "?(?<chart>[\w./-]+)"?(?: (?:version|matching) "?(?<version>[^"\s]+)"?)? not found in \S+/ },
      { pattern: /no chart (?:version|name) found for (?<chart>[\w./-]+)/ },
      {
        pattern:
          /Error: (?:UPGRADE FAILED: |INSTALLATION FAILED: )?(?:template: |parse error at \(|YAML parse error on |execution error at \()(?<template>[^:)\s]+(?::\d{1,5})?)/,
      },
      { pattern: /values don't meet the specifications of the schema\(s\)/ },
      { pattern: /unable to build kubernetes objects from (?:new )?release manifest: / },
      { pattern: /nil pointer evaluating interface \{\}\.(?<value>[\w.]+)/ },
      { pattern: /no repository definition for |failed to (?:download|fetch) .*/, indirect: true },
      { pattern: /invalid ownership metadata; / },
    ],
    sentence: (facts, { configuration: { chart } }) => {
      if (facts['chart'])
        return `The chart ${quote([facts['chart'], facts['version']].filter(Boolean).join(' '))} isn't in its repository.`;
      const where = facts['template'] ? ` at ${quote(facts['template'])}` : '';
      return `The chart${chart ? ` ${quote(chart)}` : ''} can't be rendered or installed with these values${where}${facts['value'] ? `: ${quote(facts['value'])} isn't set` : ''}.`;
    },
    remedies: [showConfiguration, showErrors, showHistory],
  },
  {
    code: 'helm_timeout',
    layer: 'mechanism',
    suspectsSettings: true,
    suspectsSiblings: true,
    kinds: ['helm'],
    signs: [
      {
        pattern:
          /(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED: .*(?<gaveup>timed out waiting for the condition|context deadline exceeded)/,
      },
      { pattern: /resource not ready, name: (?<name>[\w.-]+), kind: (?<kind>\w+)/ },
      {
        pattern:
          /(?<kind>Deployment|StatefulSet|DaemonSet|PersistentVolumeClaim|Service|Pod) is not ready: (?:[\w-]+\/)?(?<name>[\w-]+(?:\.[\w-]+)*)/,
      },
      {
        pattern: /waiting for resource" name=(?<name>\S+) kind=(?<kind>\w+) .*actualStatus=InProgress/,
        indirect: true,
      },
      { pattern: /(?<gaveup>timed out waiting for the condition)/, indirect: true },
      {
        pattern: /(?<progress>\b\d+(?: of |\/)\d+ .*\b\d+ ?(?:s|sec|seconds|m|min|minutes|%) (?:left|remaining)\b)/,
        indirect: true,
      },
      { pattern: /(?<ready>\d+) out of (?<wanted>\d+) expected pods are ready/, indirect: true },
    ],
    weigh: (facts) => (facts['gaveup'] || facts['name'] ? undefined : 'dismiss'),
    sentence: (facts, { configuration: { timeLimit } }) => {
      const progress = facts['progress']
        ? ` It was still getting on (${quote(facts['progress'])}): a longer time limit may be all it needs.`
        : '';
      const what = facts['name']
        ? `${facts['kind'] ?? 'resource'} ${facts['name']} wasn't ready`
        : "what the chart made wasn't ready";
      const count = facts['wanted'] ? ` (${facts['ready']} of ${facts['wanted']} instances)` : '';
      return `Helm gave up waiting${timeLimit === undefined ? '' : ` after ${timeLimit} s`}: ${what}${count}.${progress}`;
    },
    remedies: [
      [useLastGoodChart, deployAgain],
      [orInstead(useLastGoodChart, waitLongerForHelm), deployAgain],
      showErrors,
      showHistory,
    ],
  },
];
