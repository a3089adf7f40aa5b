import type { DatabaseDefinition } from "@freehold/kit/database";

export const database: DatabaseDefinition = {
  service: "imports",
  entities: [],
  migrations: {},
  constraints: {},
};
