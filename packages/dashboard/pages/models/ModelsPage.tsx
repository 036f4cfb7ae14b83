import type { Model } from "@stemwright/sdk";
import { groupModels } from "../../data/model-groups.ts";
import { loadModels } from "../../data/model-names.ts";
import { AccessHint } from "../../parts/AccessHint.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { Scores } from "./Scores.tsx";
import "./models.css";

function describeLimits({ creditsPerMinute, limits }: Model): string {
  return [
    creditsPerMinute === undefined ? "" : `${formatCredits(creditsPerMinute)} a minute`,
    limits ? `up to ${limits.maxInputDurationSeconds / 3600} h of sound` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function describeAccess(model: Model): string {
  if (model.access === "enabled") return "Ready to use";
  return model.installed ? "Needs access" : "Not available";
}

function ModelEntry({ model }: { model: Model }) {
  const {
    id,
    name,
    description,
    access,
    outputFormats = [],
    supportedLanguages,
    variants = [],
    weights,
  } = model;
  return (
    <li class="card stack-tight model-entry" id={`model-${id}`}>
      <div class="row row-apart row-wrap">
        <h3 class="row">
          {name} <code class="muted">{id}</code>
        </h3>
        <Badge tone={access === "enabled" ? "good" : "quiet"}>{describeAccess(model)}</Badge>
      </div>
      <p>{description}</p>
      <p class="small muted">{describeLimits(model)}</p>
      <div class="row row-wrap">
        {outputFormats.map((format) => (
          <span key={format} class="tag">
            {format}
          </span>
        ))}
        {supportedLanguages && <span class="tag">{supportedLanguages.length} languages</span>}
        {variants.map((variant) => (
          <span key={variant.id} class="tag" title={variant.description}>
            {variant.id.replaceAll("_", " ")}
            {variant.creditsPerMinute === undefined
              ? ""
              : ` · ${formatCredits(variant.creditsPerMinute)} a minute`}
          </span>
        ))}
      </div>
      <Scores model={model} />
      {weights && (
        <p class="small muted">
          {weights.name}. Licence: {weights.licence}
        </p>
      )}
      {access === "enabled" ? (
        <div>
          <a class="button button-small" href={`app/playground?m=${encodeURIComponent(id)}`}>
            Try it<span class="visually-hidden"> ({name})</span>
          </a>
        </div>
      ) : (
        model.installed && <AccessHint />
      )}
    </li>
  );
}

export default function ModelsPage() {
  const models = useLoad(loadModels, []);
  return (
    <>
      <PageHead title="Models" lead="What each model produces, its rate, licence and measured quality." />
      <Loaded loaded={models}>
        {(list) => (
          <div class="stack models">
            {groupModels(list).map(({ title, models: group }) => (
              <section key={title} class="stack" aria-label={title}>
                <h2>{title}</h2>
                <ul class="plain-list model-entries">
                  {group.map((model) => (
                    <ModelEntry key={model.id} model={model} />
                  ))}
                </ul>
              </section>
            ))}
          </div>
        )}
      </Loaded>
    </>
  );
}
