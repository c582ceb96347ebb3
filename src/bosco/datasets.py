"""The small tables that decision trees are taught with, typed in.

Each function returns ``(X, y)``: `X` a dict of columns, `y` a list of labels.
"""

Columns = dict[str, list[object]]


def play_tennis(*, day: bool = False) -> tuple[Columns, list[str]]:
    """Fourteen days with four nominal columns, and whether tennis was played.

    Parameters
    ----------
    day : bool, default=False
        Keep the column that numbers the days. It tells every row apart and says nothing of the
        next one: the classic identifier that a greedy learner falls for.

    Returns
    -------
    X, y : dict of lists, list
        9 days Yes, 5 days No.

    Examples
    --------
    >>> from bosco.datasets import play_tennis
    >>> X, y = play_tennis()
    >>> list(X), len(y), y.count("Yes")
    (['Outlook', 'Temperature', 'Humidity', 'Wind'], 14, 9)
    """
    table = _table(
        ["Day", "Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"],
        """
        D1 Sunny Hot High Weak No
        D2 Sunny Hot High Strong No
        D3 Overcast Hot High Weak Yes
        D4 Rain Mild High Weak Yes
        D5 Rain Cool Normal Weak Yes
        D6 Rain Cool Normal Strong No
        D7 Overcast Cool Normal Strong Yes
        D8 Sunny Mild High Weak No
        D9 Sunny Cool Normal Weak Yes
        D10 Rain Mild Normal Weak Yes
        D11 Sunny Mild Normal Strong Yes
        D12 Overcast Mild High Strong Yes
        D13 Overcast Hot Normal Weak Yes
        D14 Rain Mild High Strong No
        """,
    )
    y = table.pop("PlayTennis")
    if not day:
        del table["Day"]
    return {name: list(values) for name, values in table.items()}, y


def golf() -> tuple[Columns, list[str]]:
    """The golf table: play-tennis with temperature and humidity as numbers, wind as true or false.

    Returns
    -------
    X, y : dict of lists, list
        14 rows; 9 play, 5 don't.

    Examples
    --------
    >>> from bosco.datasets import golf
    >>> X, y = golf()
    >>> X["humidity"][:3], X["windy"][:3], y[:3]
    ([85, 90, 78], [False, True, False], ["Don't Play", "Don't Play", 'Play'])
    """
    table = _table(
        ["outlook", "temperature", "humidity", "windy", "play"],
        """
        sunny 85 85 - no
        sunny 80 90 windy no
        overcast 83 78 - yes
        rain 70 96 - yes
        rain 68 80 - yes
        rain 65 70 windy no
        overcast 64 65 windy yes
        sunny 72 95 - no
        sunny 69 70 - yes
        rain 75 80 - yes
        sunny 75 70 windy yes
        overcast 72 90 windy yes
        overcast 81 75 - yes
        rain 71 80 windy no
        """,
    )
    X: Columns = {
        "outlook": list(table["outlook"]),
        "temperature": [int(v) for v in table["temperature"]],
        "humidity": [int(v) for v in table["humidity"]],
        "windy": [v == "windy" for v in table["windy"]],
    }
    return X, ["Play" if play == "yes" else "Don't Play" for play in table["play"]]


def loans() -> tuple[Columns, list[str]]:
    """Forty loans with three nominal columns, and whether they were safe.

    Made up around the counts of a textbook example: of 40 loans 22 are safe; by reputation,
    excellent 9 safe and 0 risky, fair 9 and 4, poor 4 and 14. A stump on reputation errs on 8 of
    them, one on the term on 10.

    Returns
    -------
    X, y : dict of lists, list
        40 rows.

    Examples
    --------
    >>> from bosco.datasets import loans
    >>> X, y = loans()
    >>> len(y), y.count("safe"), list(X)
    (40, 22, ['reputation', 'term', 'income'])
    """
    X: Columns = {"reputation": [], "term": [], "income": []}
    y: list[str] = []
    # (rows, reputation, term in years, income, label)
    for rows, reputation, term, income, label in (
        (4, "excellent", "3", "high", "safe"),
        (2, "excellent", "3", "low", "safe"),
        (3, "excellent", "5", "low", "safe"),
        (4, "fair", "3", "high", "safe"),
        (3, "fair", "3", "low", "safe"),
        (2, "fair", "5", "high", "safe"),
        (1, "fair", "3", "low", "risky"),
        (3, "fair", "5", "low", "risky"),
        (3, "poor", "3", "high", "safe"),
        (1, "poor", "5", "high", "safe"),
        (3, "poor", "3", "low", "risky"),
        (7, "poor", "5", "low", "risky"),
        (4, "poor", "5", "high", "risky"),
    ):
        X["reputation"] += [reputation] * rows
        X["term"] += [term] * rows
        X["income"] += [income] * rows
        y += [label] * rows
    return X, y


def _table(names: list[str], rows: str) -> dict[str, list[str]]:
    """Columns from rows of words."""
    words = [line.split() for line in rows.split("\n") if line.strip()]
    columns = zip(*words, strict=True)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}
