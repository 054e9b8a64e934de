import { expect, test } from "vitest";
import { serviceName } from "../../src/api/host.ts";

const secret = "https://proxy.example.com/v1/s3cr3t-token";

test("L15: a name has the origin and a hash of the path", () => {
  expect(serviceName("https://api.example.com/")).toBe("https://api.example.com");
  expect(serviceName("http://127.0.0.1:8080")).toBe("http://127.0.0.1:8080");
  expect(serviceName(secret)).toMatch(/^https:\/\/proxy\.example\.com\/#[\da-f]{12}$/u);
  expect(serviceName(`${secret}/`)).toBe(serviceName(secret));
  expect(serviceName("https://proxy.example.com/v1/other")).not.toBe(serviceName(secret));
  expect(serviceName(`https://proxy.example.com/?token=s3cr3t`)).not.toContain("s3cr3t");
});
