import { Component, type ComponentChildren } from "preact";
import { ErrorNotice } from "../parts/ErrorNotice.tsx";

/** Shows an error instead of an empty page; the navigation stays. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ErrorNotice
        error={this.state.error}
        action={{ label: "Reload the page", onClick: () => window.location.reload() }}
      />
    );
  }
}
