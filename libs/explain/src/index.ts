export { explained, explanationText, type Explained, type Explanation, type ExplanationPart } from './explanation.js';
