import type { DatabaseDefinition } from "@freehold/kit/database";

export const database: DatabaseDefinition = {
  service: "ledger",
  entities: [],
  migrations: {},
  constraints: {},
};
