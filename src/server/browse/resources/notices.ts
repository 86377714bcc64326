/**
 * Sends notices one after another: those that are due while one is on its way become a single one after it. So a client that
 * doesn't read its stream holds at most one in memory.
 * @param failed is called when the client can't be told. Nothing is thrown.
 */
export function oneByOne(send: () => Promise<unknown>, failed: () => void): () => void {
  let isSending = false;
  let isDue = false;
  const sendAll = async (): Promise<void> => {
    do {
      isDue = false;
      // oxlint-disable-next-line no-await-in-loop -- one after another.
      await send();
    } while (isDue);
  };
  return () => {
    isDue = true;
    if (isSending) return;
    isSending = true;
    void sendAll().catch(failed).finally(() => (isSending = false));
  };
}
