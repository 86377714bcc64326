/**
 * Does work that may take a while, and shows on stderr that it goes on, where that is a terminal.
 * @param text what is being done.
 * @param work is given a way to say what it has come to.
 */
export async function withProgress<Value>(text: string, work: (tell: (text: string) => void) => Promise<Value>): Promise<Value> {
  if (!process.stderr.isTTY) return work(() => undefined);
  const { default: spin } = await import('yocto-spinner');
  const spinner = spin({ text }).start();
  try {
    return await work((now) => void (spinner.text = now));
  } finally {
    spinner.stop();
  }
}
