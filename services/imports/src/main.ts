import { setFlagsFromString } from "node:v8";
import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./imports.ts";

/**
 * Collects the old generation when the heap has grown by 30 percent, where V8 by default lets it grow to a multiple. HTTP/2
 * streams hold the buffers of gRPC responses until the streams are closed, so that these buffers reach the old generation.
 * V8 reads the flag at each collection, so setting it at run time takes effect; `NODE_OPTIONS` does not accept it.
 */
setFlagsFromString("--heap-growing-percent=30");

await runProcess("imports", start);
