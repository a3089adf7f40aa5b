/** The README, the deployment guide and ARCHITECTURE name what each process calls and publishes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { events } from "@freehold/contract/events";
import { schemas } from "../deploy/system/schemas.ts";
import { services } from "../deploy/system/secrets.ts";
import { calledServices } from "./systems/deployment/schemas.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");

describe("the tables of processes in the documents", () => {
  /** Returns the services in a text, in the order of the alphabet. */
  const servicesIn = (text: string) => services.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted();

  test.each(services)("name the services that %s calls", (name) => {
    const called = calledServices(schemas[name]).toSorted();
    const cellOf = (path: string, row: RegExp, column: number) => servicesIn(row.exec(read(path))![0].split("|")[column]!);
    expect(cellOf("README.md", new RegExp(`^\\| \\[${name}\\].*$`, "m"), 3)).toEqual(called);
    expect(cellOf("docs/deployment.md", new RegExp(`^\\| ${name} \\| HTTP.*$`, "m"), 3)).toEqual(called);
    expect(servicesIn(new RegExp(`──► ${name} +──►(.*)$`, "m").exec(read("ARCHITECTURE.md"))![1]!)).toEqual(called);
  });

  test.each([...services, "gateway"] as const)("name the events that %s publishes, and no others", (name) => {
    const published = Object.entries(events).flatMap(([type, event]) =>
      event.from === name || ("alsoFrom" in event && event.alsoFrom === name) ? [`${type.split(".")[0]}.*`] : [],
    );
    const cell = new RegExp(`^\\| \\[${name}\\].*$`, "m").exec(read("README.md"))![0].split("|")[4]!;
    expect([...cell.matchAll(/`([^`]+)`/g)].map(([, prefix]) => prefix!).toSorted()).toEqual([...new Set(published)].toSorted());
    expect(cell.replaceAll(/`[^`]+`/g, "").trim()).toMatch(/^[, ]*$/);
  });
});
