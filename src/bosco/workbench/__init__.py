"""A draft in the browser: one page, a small server that answers from the draft, and its guard."""
