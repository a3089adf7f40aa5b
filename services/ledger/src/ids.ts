import { newId } from "@freehold/kit/db/entity";

/** Returns new ids in ascending order, so that rows inserted together can be read back in the same order by id. */
export const newSortedIds = (count: number): string[] => Array.from({ length: count }, newId).sort();
