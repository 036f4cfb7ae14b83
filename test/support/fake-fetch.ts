/** A recorded request. */
export type SentRequest = {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
  init: RequestInit;
};

type Answer = Response | Error | ((request: SentRequest) => Response | Promise<Response>);

/** Returns the answers in order, repeating the last one, and records the requests. */
export function makeFakeFetch(...answers: Answer[]) {
  const requests: SentRequest[] = [];
  const fakeFetch: typeof fetch = async (input, init = {}) => {
    const request = {
      method: init.method ?? "GET",
      url: String(input),
      headers: new Headers(init.headers),
      body: init.body,
      init,
    };
    requests.push(request);
    init.signal?.throwIfAborted();
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    if (answer === undefined) throw new Error("the fake has no answer");
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer.clone() : await answer(request);
  };
  return { fetch: fakeFetch, requests };
}

export const answerJson = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), {
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
  });

/** An error response in the service's format. */
export const answerError = (status: number, fields: object = {}, headers: Record<string, string> = {}) =>
  answerJson(
    { statusCode: status, error: "Error", code: "UNAVAILABLE", message: "Not now", details: [], ...fields },
    { status, headers: { "x-request-id": "r1", ...headers } },
  );
