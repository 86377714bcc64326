/** A query that can't be carried out, and why; the message is for whoever wrote the query. */
export class UnusableQuery extends Error {
  override readonly name = 'UnusableQuery';
}
