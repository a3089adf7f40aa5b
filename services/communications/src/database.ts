import type { DatabaseDefinition } from "@freehold/kit/database";

export const database: DatabaseDefinition = {
  service: "communications",
  entities: [],
  migrations: {},
  constraints: {},
};
