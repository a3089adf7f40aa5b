/** Settings schema of each process, from its own code. */
import { schema as communications } from "@freehold/communications/config";
import { schema as identity } from "@freehold/identity/config";
import { schema as imports } from "@freehold/imports/config";
import { schema as ledger } from "@freehold/ledger/config";
import { schema as portfolio } from "@freehold/portfolio/config";
import type { ZodObject } from "zod";
import { schema as gateway } from "../../gateway/src/config.ts";
import type { ProcessName } from "./secrets.ts";

export const schemas: Record<ProcessName, ZodObject> = { gateway, identity, portfolio, ledger, communications, imports };
