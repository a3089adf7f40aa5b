import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./identity.ts";

await runProcess("identity", start);
