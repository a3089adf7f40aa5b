import { runProcess } from "@freehold/kit/service";
import { start } from "./identity.ts";

await runProcess("identity", start);
