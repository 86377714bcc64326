/** Thrown where a transaction waited for something outside the database. */
export class AwaitedOutside extends Error {
  constructor() {
    super(
      'A transaction waited for something outside the database (a runtime, a request, a timer, a file), and all others waited for the transaction. '
      + 'It was undone. Read in one transaction, ask outside of any, and write what came of it in a second one that checks what it was decided on.',
    );
    this.name = 'AwaitedOutside';
  }
}

/**
 * Does `work` within one turn of the event loop. Queries of SQLite answer in the turn in which they are asked, and hardly
 * anything else does: what is still open when the turn is over waits for something outside the database.
 * @throws AwaitedOutside then, at once; nobody waits for `work` any longer
 */
export async function inOneTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const nextTurn = setImmediate(() => over.reject(new AwaitedOutside()));
  try {
    return await Promise.race([work(), over.promise]);
  } finally {
    clearImmediate(nextTurn);
  }
}
