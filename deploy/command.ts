/** How a command of ours talks: progress on standard output, and one sentence on standard error when it fails. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs a command; what it throws is its sentence, and the exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
