import type { DatabaseDefinition } from "@freehold/kit/database";

export const database: DatabaseDefinition = {
  service: "portfolio",
  entities: [],
  migrations: {},
  constraints: {},
};
