import { runProcess } from "@freehold/kit/runtime/process";
import { start } from "./portfolio.ts";

await runProcess("portfolio", start);
