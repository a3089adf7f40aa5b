import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { database as communications } from "@freehold/communications/database";
import { database as identity } from "@freehold/identity/database";
import { database as imports } from "@freehold/imports/database";
import { database as ledger } from "@freehold/ledger/database";
import { database as portfolio } from "@freehold/portfolio/database";
import type { ServiceName } from "../secrets.ts";

/** Entities and migrations of each service's database. */
export const definitions: Record<ServiceName, DatabaseDefinition> = { identity, portfolio, ledger, communications, imports };
