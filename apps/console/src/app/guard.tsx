import { Component, type ReactNode } from 'react';
import { ProblemNote } from '../parts/states.js';

type Props = { readonly children: ReactNode };
type State = { readonly error: unknown };

/** A page that fails says so and leaves the others alone. React has no function for it. */
export class Guard extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return <ProblemNote error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
