/** Addresses of properties without source ids, which are known by their names: another address is another property. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { FieldValues } from "../draft.ts";

const houseNumberOf = ({ street_line1 = "" }: FieldValues): string => /\d+/.exec(street_line1)?.[0] ?? normalizeForMatching(street_line1);
const townOf = ({ postal_code, city = "" }: FieldValues): string => postal_code?.slice(0, 5) ?? normalizeForMatching(city);

const differ = (one: string, other: string): boolean => one !== "" && other !== "" && one !== other;

/** Tells whether two rows have different addresses: another house number or another town. Spellings of one street are the same. */
export function haveDifferentAddresses(one: FieldValues, other: FieldValues): boolean {
  if (one["street_line1"] === undefined || other["street_line1"] === undefined) return false;
  const isTownComparable = (one["postal_code"] === undefined) === (other["postal_code"] === undefined);
  return differ(houseNumberOf(one), houseNumberOf(other)) || (isTownComparable && differ(townOf(one), townOf(other)));
}

const addressOf = ({ street_line1, city }: FieldValues): string => [street_line1, city].filter(Boolean).join(", ");

/** Returns the error of a row whose name another row has at another address. */
export const sameNameError = (data: FieldValues, rowNumbers: readonly number[]): FieldError => ({
  path: "source_id",
  code: "unique",
  message: `The rows ${rowNumbers.slice(0, 10).join(", ")} have the name "${data["name"] ?? ""}" and different addresses. Give each property its own source_id, or another name, and use it in the other files.`,
});

/** Returns an error if a row whose property was imported before under its name is in another town and street: a corrected address differs in one of them. */
export function otherPropertyErrors(data: FieldValues, imported: FieldValues, changes: Candidate["changes"]): FieldError[] {
  const isMoved = changes.some(({ field }) => field === "street_line1") && changes.some(({ field }) => field === "city" || field === "postal_code");
  if (!isMoved || !haveDifferentAddresses(data, imported)) return [];
  return [
    {
      path: "street_line1",
      code: "unique",
      message:
        `A property of this name was imported at ${addressOf(imported)}, and this row is at ${addressOf(data)}. Give another property its own source_id, or another name, ` +
        "and use it in the other files. If it is the same property, resolve this row with the action match.",
    },
  ];
}
