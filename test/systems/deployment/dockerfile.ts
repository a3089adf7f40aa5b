/** Instructions of deploy/Dockerfile. */
import { readFileSync } from "node:fs";

export interface Instruction {
  name: string;
  arguments: string;
}

export const dockerfile: Instruction[] = readFileSync(new URL("../../../deploy/Dockerfile", import.meta.url), "utf8")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => ({ name: line.split(" ")[0]!, arguments: line.slice(line.indexOf(" ") + 1).trim() }));

/** Instructions of the final stage. */
export const finalStage: Instruction[] = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === "FROM"));

/** Parses a command in exec form, such as `["node", "main.js"]`. */
const parseExecForm = (text: string): string[] => JSON.parse(text.slice(text.indexOf("["))) as string[];
const argumentsOf = (name: string): string => finalStage.find((each) => each.name === name)!.arguments;

/** Command of the image. */
export const imageCommand = (): string[] => parseExecForm(argumentsOf("CMD"));
/** Command of the image's health check. */
export const healthCheck = (): string[] => parseExecForm(argumentsOf("HEALTHCHECK"));
