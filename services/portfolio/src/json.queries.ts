import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** A timestamp inside JSON, in the form that every other timestamp is answered in. */
export const instantInJson = (column: string): RawBuilder<string> => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
