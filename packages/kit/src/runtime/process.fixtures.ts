/** Process whose end waits for a timer that does not keep the event loop alive, like those of the relay. */
import { setTimeout as sleep } from "node:timers/promises";
import { runProcess } from "./process.ts";

await runProcess("test", async () => ({ stop: () => sleep(100, undefined, { ref: false }) }));
