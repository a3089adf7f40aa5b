import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./communications.ts";

await runProcess("communications", start);
