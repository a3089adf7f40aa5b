import { runProcess } from "@freehold/kit/service";
import { start } from "./imports.ts";

await runProcess("imports", start);
