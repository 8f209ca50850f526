"""The rules: who may use what, and which links may be shown. Pure functions over values."""
