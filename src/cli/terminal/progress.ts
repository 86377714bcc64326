/**
 * Runs a task with a spinner on stderr, if stderr is a terminal.
 * @param text the initial text of the spinner.
 * @param task receives a function that changes the text.
 */
export async function withProgress<Value>(text: string, task: (update: (text: string) => void) => Promise<Value>): Promise<Value> {
  if (!process.stderr.isTTY) return task(() => undefined);
  const { default: spin } = await import('yocto-spinner');
  const spinner = spin({ text }).start();
  try {
    return await task((next) => void (spinner.text = next));
  } finally {
    spinner.stop();
  }
}
