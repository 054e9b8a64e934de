import { createClock } from "../../bin/process-clock.ts";
import { allSettings, setSetting } from "../../src/cli/settings/edit-config.ts";
import { savePlan, saveProfile } from "../../src/cli/settings/edit-credentials.ts";
import { setAssetName } from "../../src/cli/run/asset-names.ts";

/**
 * Bundled and run as a child process by `many-writers.test.ts`: on a message, writes the n-th setting, its
 * own profile and a name, as many concurrent commands would.
 */
const index = Number(process.argv[2]);

const context = {
  env: process.env,
  platform: process.platform,
  pid: process.pid,
  random: Math.random,
  signal: new AbortController().signal,
  clock: createClock(),
};

const values: Readonly<Record<string, string>> = {
  base_url: "https://a.invalid",
  pro_base_url: "https://b.invalid",
  streaming_url: "https://c.invalid",
  streaming_pro_url: "https://d.invalid",
  output: "json",
  color: "never",
  retries: "7",
  timeout: "7s",
  page_size: "77",
  profile: "p7",
};

process.once("message", () => {
  const key = `api_dev_writer_${index}`;
  const setting = allSettings[index];
  const value = setting === undefined ? undefined : values[setting.name];
  const work = async (): Promise<void> => {
    if (setting !== undefined && value !== undefined) await setSetting(context, setting.name, value);
    await saveProfile(context, `p${index}`, { key, tier: "dev" });
    await savePlan(context, `${key}_other`, "pro");
    const asset = { network: "ethereum", address: `0x${index}`, kind: undefined };
    for (const service of ["one", "other"]) await setAssetName(context, service, `n${index}`, asset);
  };
  work().then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});
process.send?.("ready");
