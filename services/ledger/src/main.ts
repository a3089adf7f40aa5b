import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./ledger.ts";

await runProcess("ledger", start);
