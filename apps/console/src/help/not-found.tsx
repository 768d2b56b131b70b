import { Link } from 'react-router';
import { Empty } from '../parts/states.js';
import { usePageTitle } from '../parts/use-page-title.js';

export default function NotFound() {
  usePageTitle('Nothing here');
  return (
    <div className="panel">
      <h1 className="visually-hidden">Nothing here</h1>
      <Empty title="There is no such page" />
      <p style={{ textAlign: 'center', paddingBottom: 30 }}>
        <Link to="/runs">All runs</Link>
      </p>
    </div>
  );
}
