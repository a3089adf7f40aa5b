import { setFlagsFromString } from "node:v8";
import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./imports.ts";

/**
 * gRPC responses outlive V8's young generation, because HTTP/2 streams keep their buffers referenced until after they end.
 * By default V8 lets the heap nearly triple before it collects the old generation; 30 percent growth keeps memory low. V8
 * reads the flag at each collection, and `NODE_OPTIONS` does not accept it.
 */
setFlagsFromString("--heap-growing-percent=30");

await runProcess("imports", start);
