import type { Model } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { Tabs } from "../../parts/Tabs.tsx";
import { type Choice, isAddress, takesTranscript, toTargets } from "./choice.ts";
import { LANGUAGES, type Language, writeCode } from "./request-code.ts";
import { uploads } from "./uploads.ts";

/** The same request as code. */
export function RequestCode({ models, choice }: { models: readonly Model[]; choice: Choice }) {
  const [language, setLanguage] = useState<Language>("curl");
  const chosen = models.filter(({ id }) => choice.models.some((each) => each.id === id));
  const code = writeCode(language, {
    baseUrl: apiClient.baseUrl,
    input: uploads.value[0]?.file.name ?? (isAddress(choice.url) ? choice.url : "song.mp3"),
    targets: toTargets(choice, models),
    transcript:
      choice.transcript.trim() !== "" && chosen.some(takesTranscript) ? "transcript.txt" : undefined,
  });
  return (
    <section class="card stack-tight" aria-labelledby="code-title">
      <h2 id="code-title">Code</h2>
      <Tabs
        label="Languages"
        tabs={LANGUAGES.map((each) => ({ id: each, title: each }))}
        shown={language}
        onChange={(id) => setLanguage(LANGUAGES.find((each) => each === id) ?? "curl")}
      >
        <CodeBlock code={code} label={`${language} code`} />
      </Tabs>
    </section>
  );
}
