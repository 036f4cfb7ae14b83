import { expect, it } from "vitest";
import { makeEngineEnvironment } from "./engine-environment.ts";

it("[S40] has the settings of Node, glibc and drivers of its parent, and none of its secrets", () => {
  const settings = {
    PATH: "/bin",
    TMPDIR: "/scratch",
    CUDA_VISIBLE_DEVICES: "1",
    VK_DRIVER_FILES: "/icd.json",
  };
  const secrets = {
    DATABASE_URL: "postgres://u:p@h/d",
    S3_SECRET_ACCESS_KEY: "s",
    ENCRYPTION_KEY: "k",
    HOME: "/root",
  };
  const { GLIBC_TUNABLES: _, ...environment } = makeEngineEnvironment({}, { ...settings, ...secrets });
  expect(environment).toEqual(settings);
});

it("lets drivers keep what they compile in a folder of the engine's, unless the operator names another", () => {
  const environment = makeEngineEnvironment({ driverCacheDir: "/cache" }, { CUDA_CACHE_PATH: "/mine" });
  expect(environment).toMatchObject({ CUDA_CACHE_PATH: "/mine", MESA_SHADER_CACHE_DIR: "/cache/driver" });
});

it("asks glibc for large pages, and lets the operator override it", () => {
  const alone = makeEngineEnvironment({}, {}).GLIBC_TUNABLES;
  expect(alone?.split(":")).toContain("glibc.malloc.hugetlb=1");
  const { GLIBC_TUNABLES } = makeEngineEnvironment({}, { GLIBC_TUNABLES: "glibc.malloc.hugetlb=0" });
  expect(GLIBC_TUNABLES).toBe(`${alone}:glibc.malloc.hugetlb=0`);
});
