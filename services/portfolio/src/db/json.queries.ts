import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the SQL of a timestamp inside JSON, in the ISO format of timestamps outside JSON. */
export const instantInJson = (column: string): RawBuilder<string> => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
