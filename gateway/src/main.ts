import { runProcess } from "@freehold/kit/service";
import { start } from "./start.ts";

await runProcess("gateway", start);
