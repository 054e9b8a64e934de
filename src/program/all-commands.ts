import { endpoints } from "../contract/endpoints/all.ts";
import { apiCommand } from "../commands/api/api-command.ts";
import { commandGroups } from "../commands/asking/positionals.ts";
import { authCommands } from "../commands/auth/auth-commands.ts";
import type { Command } from "../commands/command.ts";
import { endpointCommand } from "../commands/endpoint/endpoint-command.ts";
import { completionCommand } from "../commands/completion/completion-command.ts";
import { configCommands } from "../commands/config/config-commands.ts";
import { doctorCommand } from "../commands/doctor/doctor-command.ts";
import { explainCommand } from "../commands/explain/explain-command.ts";
import { migrateCommand } from "../commands/migrate/migrate-command.ts";
import { sandboxCommand } from "../commands/sandbox/sandbox-command.ts";
import { schemaCommand } from "../commands/schema/schema-command.ts";
import { streamCommand } from "../commands/stream/stream-command.ts";
import { commandsCommand, helpCommand } from "./learn-commands.ts";

/** Every command, in the order of help. What one does is loaded when it is run. */
export const allCommands: readonly Command[] = [
  ...commandGroups(endpoints).map(endpointCommand),
  apiCommand,
  streamCommand,
  ...authCommands,
  ...configCommands,
  doctorCommand,
  completionCommand,
  sandboxCommand,
  helpCommand(() => allCommands),
  explainCommand,
  migrateCommand,
  commandsCommand(() => allCommands),
  schemaCommand,
];
