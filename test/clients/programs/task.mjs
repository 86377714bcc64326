import { text } from 'node:stream/consumers';

/** What the server's form asks for, filled in as a user does who agrees: the name is typed, or the box is ticked. */
const agreed = ({ requestedSchema: { properties } }) => {
  const typed = /^To approve, type exactly: (.*)$/s.exec(properties.name?.title ?? '')?.[1];
  return { action: 'accept', content: typed === undefined ? { approve: true } : { name: typed } };
};

/** An error with its causes, as text: some clients put what the server said into the cause. */
const describe = (error) =>
  [
    error instanceof Error ? error.message : String(error),
    ...(error?.cause === undefined ? [] : [describe(error.cause)]),
  ].join(': ');

const steps = {
  list: async (client) => ({ names: await client.list() }),
  call: (client, { call, args }) => client.call(call, args),
  read: async (client, { read }) => ({ text: await client.read(read) }),
};

const take = async (client, step) => {
  try {
    return await steps[Object.keys(steps).find((kind) => kind in step)](client, step);
  } catch (error) {
    return { text: describe(error), failed: true };
  }
};

/** The text of a tool's result, and whether the client says that the call failed. */
export const resultOf = ({ content, isError }) => ({
  text: content.map((part) => part.text ?? '').join('\n'),
  failed: isError === true,
});

/**
 * Reads a task on stdin, has a client carry it out, and prints what the client saw as one line of JSON.
 * @param connect makes the client. It gets the server, `{ command, args, env }` or `{ url, headers }`, and what answers the
 *   server's questions; it gives `list()`, `call(name, args)`, `read(uri)` and `close()`.
 */
export async function carryOut(connect) {
  const { server, agrees, steps: asked } = JSON.parse(await text(process.stdin));
  const seen = { questions: 0, answers: [] };
  const answer = (question) => {
    seen.questions += 1;
    return agrees ? agreed(question) : { action: 'decline' };
  };
  try {
    const client = await connect(server, answer);
    for (const step of asked) seen.answers.push(await take(client, step));
    await client.close();
  } catch (error) {
    seen.notConnected = describe(error);
  }
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}
