import manifest from '../../package.json' with { type: 'json' };
import { foreignClients, triedAt, type ClientBehaviour, type ForeignClient } from '../../test/clients/clients.ts';
import { code, markdownTable } from './markdown.ts';

const keyCells = new Map<boolean | undefined, string>([
  [true, 'yes'],
  [false, 'no: it has no option for headers'],
  [undefined, ''],
]);

const agreementCells: Readonly<Record<ClientBehaviour['agreement'], string>> = {
  form: 'the user, in a form',
  operator: 'the operator',
};

const overStdio = (behaviour: ClientBehaviour | undefined): string =>
  behaviour === undefined
    ? 'no'
    : [
        behaviour.revision,
        ...(behaviour.slowRevision === undefined ? [] : [`${behaviour.slowRevision} if the server starts slowly`]),
      ].join('; ');

/** The clients as a table: what they do over each transport that they have. */
export const clientsTable = (clients: readonly ForeignClient[]): string =>
  markdownTable(
    [
      'Client',
      'Package',
      'Over stdio',
      'Over HTTP',
      'Sends a key',
      'Who agrees to a high-risk call',
      'Shows a refusal as',
    ],
    clients.map(({ name, packages, behaviour: { stdio, http } }) => {
      const [packageName, version] = Object.entries(packages)[0]!;
      const either = http ?? stdio;
      return [
        name,
        `${code(packageName)} ${version}`,
        overStdio(stdio),
        http?.revision ?? 'no',
        keyCells.get(http?.sendsKey)!,
        either ? agreementCells[either.agreement] : '',
        either ? (either.marksFailures ? 'an error' : 'an ordinary answer') : '',
      ];
    }),
  );

/** The clients that `npm run test:clients` tries, what they can do, and the client that the other tests use. */
export const testedClients = (): string => {
  const own = '@modelcontextprotocol/client';
  return [
    `Tried on ${triedAt.slice(0, 10)}, with the protocol revision that each uses. All of them list the tools, call them, read resources and`,
    `show why a call was refused. The other tests of this project use ${code(own)} ${manifest.devDependencies[own]}.`,
    '',
    clientsTable(foreignClients),
  ].join('\n');
};
