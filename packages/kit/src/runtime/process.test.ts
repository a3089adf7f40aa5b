import { expect, test } from "@jest/globals";
import { fork } from "node:child_process";
import { once } from "node:events";

/** Starts a process and waits until it is ready. */
async function start() {
  const child = fork(new URL("process.fixtures.ts", import.meta.url), { execArgv: ["--conditions=source"] });
  await once(child, "message");
  return child;
}

test("a process whose launcher has died ends its work and is killed, since an exit could wait for ever", async () => {
  const child = await start();
  const exit = once(child, "exit");
  child.disconnect();
  expect(await exit).toEqual([null, "SIGKILL"]);
});

test("a process that is told to end exits after its work has ended", async () => {
  const child = await start();
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
});
