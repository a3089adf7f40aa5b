import { newId } from "@freehold/kit/db/entity";

/** New ids that sort in the order they stand in: rows that are written together can be read in that order again. */
export const newIds = (count: number): string[] => Array.from({ length: count }, newId).sort();
