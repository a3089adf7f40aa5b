/** Start and end of a process. */
import { flushCompileCache } from "node:module";
import { ConfigurationError } from "../config.ts";
import { collectWhenIdle } from "./garbage-collection.ts";

/** Exit code EX_CONFIG of sysexits.h: restarting the process cannot help. */
const EX_CONFIG = 78;
const SHUTDOWN_MS = 15_000;

/** Returns a function that ends the process with the message of a configuration error. */
export const exitMisconfigured =
  (name: string) =>
  (error: ConfigurationError): never => {
    process.stderr.write(`freehold-${name} cannot start: ${error.message}\n`);
    process.exit(EX_CONFIG);
  };

/**
 * Runs a process until SIGTERM, SIGINT or the end of its launcher, and stops it cleanly. A configuration error ends it with
 * one message and exit code 78.
 */
export async function runProcess(name: string, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  process.title = `freehold-${name}`;
  let running: { stop(): Promise<void> };
  try {
    running = await start();
  } catch (error) {
    if (error instanceof ConfigurationError) return exitMisconfigured(name)(error);
    process.stderr.write(`freehold-${name} failed to start: ${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
  let isEnding = false;
  const end = (exit: (code: number) => void) => {
    if (isEnding) return;
    isEnding = true;
    // Not unref'ed: once the connections are closed, nothing else keeps the process alive until its work has ended.
    setTimeout(() => exit(1), SHUTDOWN_MS);
    running.stop().then(
      () => exit(0),
      () => exit(1),
    );
  };
  const endNormally = () => end((code) => process.exit(code));
  process.on("SIGTERM", endNormally);
  process.on("SIGINT", endNormally);
  // An exit can wait for V8's threads for ever, and without its launcher nobody would kill the process.
  if (process.send) process.on("disconnect", () => end(() => process.kill(process.pid, "SIGKILL")));
  // Writing the cache blocks for seconds the first time, so it happens before the process is ready.
  flushCompileCache();
  process.send?.("ready");
  collectWhenIdle();
}
