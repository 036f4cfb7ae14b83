import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import { type AddressGuard, AddressRefused } from "../../net/address-guard.ts";
import { findReason } from "../../net/find-reason.ts";
import { findUrlRetry, openUrl, UrlError } from "../../net/open-url.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type Download, downloadFile } from "./download-file.ts";
import { NAME_OF_KIND } from "./fetch-bucket-file.ts";

/** Downloads a URL to a local file. */
export async function fetchUrlFile(
  { guard }: { guard: AddressGuard },
  { url, login }: { url: string; login: string | undefined },
  download: Omit<Download, "openPart" | "findRetry">,
): Promise<void> {
  const { what, signal } = download;
  try {
    await downloadFile({
      ...download,
      findRetry: findUrlRetry,
      openPart: (from) => openUrl(guard, { url: new URL(url), login, signal, ...from }),
    });
  } catch (error) {
    const reason = findReason(error);
    if (error instanceof TargetFailure || signal.aborted || isOutOfSpace(reason)) throw error;
    if (reason instanceof AddressRefused) throw new TargetFailure("INPUT_ACCESS_DENIED", reason.message);
    const known = error instanceof UrlError ? error : undefined;
    throw new TargetFailure(
      NAME_OF_KIND[known?.kind ?? "failed"],
      `The ${what} could not be fetched: ${(known ?? reason).message}`,
    );
  }
}
