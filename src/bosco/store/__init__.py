"""The model file: one content in two forms, JSON to read and safetensors for what is big."""
