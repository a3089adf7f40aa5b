import { runProcess } from "@freehold/kit/service";
import { start } from "./portfolio.ts";

await runProcess("portfolio", start);
