import { setFlagsFromString } from "node:v8";
import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./imports.ts";

/**
 * What other services answer for each row outlives V8's young collections, as what comes over HTTP/2 hangs on its stream
 * after that has ended. Of such garbage V8 would let nearly twice as much gather as is alive; here it collects it when there
 * are three tenths. V8 reads this anew at each collection, and `NODE_OPTIONS` does not take it.
 */
setFlagsFromString("--heap-growing-percent=30");

await runProcess("imports", start);
