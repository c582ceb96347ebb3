"""Every library as an object with ``fit`` and ``predict``, growing one tree, all encoding included.

The settings are scikit-learn's ``max_depth`` and ``max_leaf_nodes``; classes are 0, 1, ….
"""

from typing import Any

import numpy as np


def bosco(real: bool, threads: int, **settings: Any) -> Any:
    from bosco import DecisionTreeClassifier, DecisionTreeRegressor

    return (DecisionTreeRegressor if real else DecisionTreeClassifier)(n_jobs=threads, **settings)


class ScikitLearn:
    """scikit-learn's tree; levels are one-hot encoded, missing numbers filled in."""

    def __init__(self, real: bool, _threads: int, **settings: Any) -> None:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        tree = DecisionTreeRegressor if real else DecisionTreeClassifier
        self.model: Any = tree(random_state=0, **settings)

    def fit(self, X: Any, y: np.ndarray) -> None:
        if not isinstance(X, np.ndarray):
            from sklearn.compose import make_column_selector, make_column_transformer
            from sklearn.impute import SimpleImputer
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import OneHotEncoder

            levels = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
            encode = make_column_transformer(
                (levels, make_column_selector(dtype_include="category")),
                (SimpleImputer(strategy="median"), make_column_selector(dtype_include="number")),
            )
            self.model = make_pipeline(encode, self.model)
        self.model.fit(X, y)

    def predict(self, X: Any) -> np.ndarray:
        return self.model.predict(X)


class LightGBM:
    """One round of boosting from 255 bins, without shrinkage or regularisation."""

    def __init__(self, real: bool, threads: int, **settings: Any) -> None:
        depth = settings.get("max_depth") or -1
        leaves = settings.get("max_leaf_nodes") or (2**depth if depth > 0 else 131_072)
        self.real = real
        self.parameters = {
            "max_depth": depth,
            "num_leaves": leaves,
            "learning_rate": 1.0,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "max_bin": 255,
            "num_threads": threads,
            "verbosity": -1,
        }

    def fit(self, X: Any, y: np.ndarray) -> None:
        import lightgbm

        self.model = lightgbm.train(
            {**self.parameters, **objective(self.real, y, "regression", "binary", "multiclass")},
            lightgbm.Dataset(X, y),
            num_boost_round=1,
        )

    def predict(self, X: Any) -> np.ndarray:
        return as_labels(self.real, self.model.predict(X))


class XGBoost:
    """One round of boosting without shrinkage or regularisation."""

    method = "exact"

    def __init__(self, real: bool, threads: int, **settings: Any) -> None:
        self.real = real
        self.parameters = {
            "tree_method": self.method,
            "max_depth": settings.get("max_depth") or 1000,  # "exact" knows no "unlimited"
            "max_leaves": settings.get("max_leaf_nodes") or 0,
            "grow_policy": "lossguide" if settings.get("max_leaf_nodes") else "depthwise",
            "learning_rate": 1.0,
            "reg_lambda": 0.0,
            "min_child_weight": 0.0,
            "nthread": threads,
        }

    def matrix(self, X: Any, y: np.ndarray | None = None) -> Any:
        import xgboost

        return xgboost.DMatrix(
            X, y, enable_categorical=True, nthread=int(self.parameters["nthread"])
        )

    def fit(self, X: Any, y: np.ndarray) -> None:
        import xgboost

        names = ("reg:squarederror", "binary:logistic", "multi:softprob")
        parameters = {**self.parameters, **objective(self.real, y, *names)}
        self.model = xgboost.train(parameters, self.matrix(X, y), num_boost_round=1)

    def predict(self, X: Any) -> np.ndarray:
        return as_labels(self.real, self.model.predict(self.matrix(X)))


class XGBoostHist(XGBoost):
    method = "hist"


class YDF:
    """YDF's CART with exact splits and without pruning."""

    def __init__(self, real: bool, threads: int, **settings: Any) -> None:
        import ydf

        ydf.verbose(0)
        self.real = real
        self.learner = ydf.CartLearner(
            label="y",
            task=ydf.Task.REGRESSION if real else ydf.Task.CLASSIFICATION,
            max_depth=settings["max_depth"] + 1 if "max_depth" in settings else -1,
            min_examples=1,
            validation_ratio=0.0,
            num_threads=threads,
        )

    @staticmethod
    def columns(X: Any) -> dict[str, np.ndarray]:
        if isinstance(X, np.ndarray):
            return {"x": X}
        return {
            name: X[name].to_numpy()
            if X[name].dtype.kind == "f"
            else X[name].astype(object).fillna("").to_numpy().astype(str)
            for name in X
        }

    def fit(self, X: Any, y: np.ndarray) -> None:
        self.model = self.learner.train({**self.columns(X), "y": y})

    def predict(self, X: Any) -> np.ndarray:
        return as_labels(self.real, self.model.predict(self.columns(X)))


class OnnxRuntime:
    """Predicts only: by the tree or forest that scikit-learn grew in the same run."""

    grown = "scikit-learn.pickle"

    def __init__(self, model: Any) -> None:
        from skl2onnx import to_onnx

        sample = np.zeros((1, model.n_features_in_), np.float32)
        self.file = to_onnx(model, sample, options={"zipmap": False}).SerializeToString()

    def use(self, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(self.file, options)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.session.run(["label"], {"X": X})[0]


LEARNERS: dict[str, Any] = {
    "bosco": bosco,
    "scikit-learn": ScikitLearn,
    "lightgbm": LightGBM,
    "xgboost exact": XGBoost,
    "xgboost hist": XGBoostHist,
    "ydf": YDF,
}


def objective(real: bool, y: np.ndarray, regression: str, two: str, many: str) -> dict[str, Any]:
    if real:
        return {"objective": regression}
    n = int(y.max()) + 1
    return {"objective": two} if n == 2 else {"objective": many, "num_class": n}


def as_labels(real: bool, values: np.ndarray) -> np.ndarray:
    """Turn probabilities, of the second class or of every class, into labels."""
    if real:
        return values
    return values > 0.5 if values.ndim == 1 else values.argmax(axis=1)
