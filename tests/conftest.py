"""Settings that must hold before anything is imported."""

import os

# scikit-learn's checks of array inputs are skipped unless scipy was told this before it was loaded.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
