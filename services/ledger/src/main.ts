import { runProcess } from "@freehold/kit/service";
import { start } from "./ledger.ts";

await runProcess("ledger", start);
