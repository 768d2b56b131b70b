export { sizeOf, UnusableYaml, YAML_BYTES_MAX, yamlSource, type Source } from './yaml.js';
