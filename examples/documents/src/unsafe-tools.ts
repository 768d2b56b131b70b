import { fileDocumentUnsafely } from './tools/file-document.js';
import { readDocument } from './tools/read-document.js';
import { summariseDocument } from './tools/summarise-document.js';
import { summariseWithModel } from './tools/summarise-with-model.js';

/** The positive control: what is lost is repeated, as most systems do it, and the ledger shows it. */
export default [readDocument, summariseDocument, summariseWithModel, fileDocumentUnsafely];
