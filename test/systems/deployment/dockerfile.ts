/** Instructions of deploy/Dockerfile. */
import { readFileSync } from "node:fs";

export interface Instruction {
  name: string;
  words: string;
}

export const dockerfile: Instruction[] = readFileSync(new URL("../../../deploy/Dockerfile", import.meta.url), "utf8")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => ({ name: line.split(" ")[0]!, words: line.slice(line.indexOf(" ") + 1).trim() }));

/** Instructions of the final stage. */
export const lastStage: Instruction[] = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === "FROM"));

const command = (words: string): string[] => JSON.parse(words.slice(words.indexOf("["))) as string[];
const instructionOf = (name: string): string => lastStage.find((each) => each.name === name)!.words;

/** Command of the image. */
export const entry = (): string[] => command(instructionOf("CMD"));
export const healthCheck = (): string[] => command(instructionOf("HEALTHCHECK"));
