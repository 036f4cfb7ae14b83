// tus-js-client, which uploads a file and goes on by itself after a connection that broke.

import { createReadStream, statSync } from "node:fs";
import { Upload } from "tus-js-client";

const { BASE_URL, API_KEY, FILE, CHUNK_BYTES, UPLOAD_URL } = process.env;
const calls = [];
const upload = new Upload(createReadStream(FILE), {
  endpoint: `${BASE_URL}/uploads/`,
  ...(UPLOAD_URL ? { uploadUrl: UPLOAD_URL } : {}),
  headers: { "x-api-key": API_KEY },
  metadata: { filename: "film ö.mp4", filetype: "video/mp4" },
  uploadSize: statSync(FILE).size,
  chunkSize: Number(CHUNK_BYTES),
  retryDelays: [100, 500, 1000, 2000],
  onAfterResponse: (request, response) => {
    calls.push(`${request.getMethod()} ${response.getStatus()}`);
  },
  onError: (error) => {
    console.error(error);
    process.exitCode = 1;
  },
  onSuccess: () => console.log(JSON.stringify({ url: upload.url, calls })),
});
upload.start();
