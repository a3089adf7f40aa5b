import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./start.ts";

await runProcess("gateway", start);
