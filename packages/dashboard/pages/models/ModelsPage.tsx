import { client } from "../../account/client.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { useLoad } from "../../parts/use-load.ts";

export default function ModelsPage() {
  const models = useLoad((signal) => client.models.list({ signal }), []);
  return (
    <>
      <PageHead title="Models" lead="What the service can take apart, and what it writes down." />
      <Loaded loaded={models}>
        {(list) => (
          <ul class="plain-list stack">
            {list.map(({ id, name, description }) => (
              <li key={id} class="card">
                <h2>{name}</h2>
                <p class="muted">{description}</p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}
