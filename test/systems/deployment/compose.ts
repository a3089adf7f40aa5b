/** Parser of deploy/docker-compose.yaml with variable substitution. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { parse } from "yaml";

/** Config or secret of the compose project, mounted into a container at the target path. */
interface MountedFile {
  source: string;
  target: string;
}

export interface Container {
  image: string;
  build?: { context: string; dockerfile: string; args: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks: string[];
  volumes?: string[];
  configs?: MountedFile[];
  secrets?: MountedFile[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  restart: string;
  read_only: boolean;
  security_opt: string[];
  mem_limit?: string;
}

export interface Compose {
  services: Record<string, Container>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, null>;
  configs: Record<string, { file: string }>;
  secrets: Record<string, { file: string }>;
}

const readDeployFile = (name: string): string => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), "utf8");
const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** Returns the variables of .env.example. */
export const exampleEnvironment = (): Record<string, string> => parseEnv(readDeployFile(".env.example")) as Record<string, string>;

/** Returns the names of the variables that the compose files use. */
export const composeVariables = (): Set<string> =>
  new Set([...`${readDeployFile("docker-compose.yaml")}${readDeployFile("docker-compose.s3.yaml")}`.matchAll(VARIABLE)].map((match) => match[1]!));

function substitute(text: string, environment: Record<string, string>): string {
  return text.replaceAll(VARIABLE, (_, name: string, operator: string | undefined, defaultOrMessage: string) => {
    const value = environment[name];
    if (value) return value;
    if (operator === "?") throw new Error(`${name} ${defaultOrMessage}`);
    return operator === "-" ? defaultOrMessage : "";
  });
}

const substituteAll = (value: unknown, environment: Record<string, string>): unknown =>
  typeof value === "string"
    ? substitute(value, environment)
    : Array.isArray(value)
      ? value.map((each) => substituteAll(each, environment))
      : value && typeof value === "object"
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, substituteAll(each, environment)]))
        : value;

/** Reads a compose file with every variable substituted. Throws an error with the message of a required variable that is not set. */
export const readCompose = (environment: Record<string, string>, name = "docker-compose.yaml"): Compose =>
  substituteAll(parse(readDeployFile(name), { merge: true }), environment) as Compose;

/** Returns the configs and secrets that a container mounts, with the path of each file in `deploy`. */
export const mountsOf = ({ configs, secrets }: Pick<Compose, "configs" | "secrets">, container: Container): { target: string; file: string }[] =>
  [...(container.configs ?? []), ...(container.secrets ?? [])].map(({ source, target }) => ({ target, file: { ...configs, ...secrets }[source]!.file }));

/**
 * Returns the settings of a container, with the content of mounted files instead of the variables that name them. The files are
 * read from a folder in the place of `deploy`. Throws an error for a file that is not mounted.
 */
export const containerSettings = (compose: Pick<Compose, "configs" | "secrets">, container: Container, dir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(container.environment ?? {}).map(([name, value]) => {
      if (!name.endsWith("_FILE")) return [name, value];
      const mount = mountsOf(compose, container).find(({ target }) => target === value);
      if (!mount || !existsSync(join(dir, mount.file))) throw new Error(`${name} names ${value}, which is not mounted.`);
      return [name.replace(/_FILE$/, ""), readFileSync(join(dir, mount.file), "utf8")];
    }),
  );
