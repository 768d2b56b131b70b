import { z } from 'zod';

// The page may not evaluate text as code, so schemas are walked and not compiled. Before any of them is made.
z.config({ jitless: true });
