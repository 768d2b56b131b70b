import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import '@mantine/charts/styles.css';
import './app/base.css';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App } from './app/app.js';

// The page may not evaluate text as code, so schemas are walked and not compiled.
z.config({ jitless: true });

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
