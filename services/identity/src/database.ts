import type { DatabaseDefinition } from "@freehold/kit/database";

export const database: DatabaseDefinition = {
  service: "identity",
  entities: [],
  migrations: {},
  constraints: {},
};
