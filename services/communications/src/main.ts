import { runProcess } from "@freehold/kit/service";
import { start } from "./communications.ts";

await runProcess("communications", start);
