"""``bosco rules``: what a model decides, as if-then rules."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.base.visible import can_draw
from bosco.cli.console import Format, emit, note
from bosco.cli.models import load_tree
from bosco.cli.options import ModelFile, OneTree, out_to
from bosco.errors import ParameterError
from bosco.rules.work import WORK

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

EXAMPLE = "bosco rules loans.json --answer yes --form dnf"


Form = StrEnum("Form", "text dnf markdown latex")
"""How rules are written."""
Written = StrEnum("Written", "text json xlsx")
"""How the verb answers: a workbook is a file."""


def run(
    model: ModelFile,
    simplify: Annotated[
        bool, Option(help="Fewer and shorter rules, proved to decide the same.")
    ] = True,
    form: Annotated[Form, Option(help="If-then lines, formulas, or a table.")] = Form.text,
    label: Annotated[
        str | None, Option("--answer", metavar="CLASS", help="The rules for one class.")
    ] = None,
    decision_list: Annotated[
        bool, Option("--list", help="Order them: the first that holds decides.")
    ] = False,
    unseen: Annotated[
        bool,
        Option("--unseen", help="Leave open missing values where training rows had none."),
    ] = False,
    missing: Annotated[bool, Option(help="Say where missing values go.")] = True,
    work: Annotated[
        float,
        Option(
            help="Steps for shortening; what is found by then is taken.", metavar="STEPS", min=1
        ),
    ] = WORK,
    tree: OneTree = None,
    out: Annotated[
        Path | None, out_to("The workbook of --format xlsx; by default the model's name and .xlsx.")
    ] = None,
    answer: Annotated[
        Written, Option("--format", help="How to answer; xlsx is a workbook for Excel.")
    ] = Written.text,
) -> None:
    """Write the rules of a model, shortened, proved the same."""
    if out is not None and answer is not Written.xlsx:
        raise ParameterError("--out is for --format xlsx; other forms are printed.")
    if not simplify and (decision_list or unseen):
        raise ParameterError("--list and --unseen are ways to simplify: leave --no-simplify out.")
    loaded = load_tree(model, "rules are written", tree, one_of=True)
    rules = loaded.rules(missing=missing)
    if simplify:
        rules = rules.simplify(use_unseen=unseen, decision_list=decision_list, work=work)
    known = [] if loaded.classes is None else loaded.classes.tolist()
    wanted = next((one for one in known if str(one) == label), label)  # as the model has it
    if answer is Written.xlsx:
        from bosco.rules.excel import said_of

        place = out or model.with_suffix(".xlsx")
        only_for(rules, wanted).to_excel(place, missing=missing, about=said_of(loaded))
        emit(Format.text, tr("saved: {file}", file=place), None)
        return
    if answer is Written.json:
        told = rules.to_dict()
        if wanted is not None:
            rules.of_answer(wanted)  # refuses a class that there is not
            told["rules"] = [rule for rule in told["rules"] if rule["answer"] == wanted]
        emit(Format.json, "", told)
        return
    ascii_only = not can_draw()
    if form is Form.dnf:
        text = rules.to_dnf(wanted, ascii=ascii_only, missing=missing)
    elif form is Form.latex:
        text = rules.to_latex(wanted, missing=missing)
    else:
        shown = only_for(rules, wanted)
        text = shown.to_text(ascii=ascii_only, missing=missing)
        if form is Form.markdown:
            text = shown.to_markdown(missing=missing)
    if rules.report is not None:
        note(str(rules.report))
    emit(Format.text, text, None)


def only_for(rules: "RuleSet", answer: Any) -> "RuleSet":
    """The rules for one answer; all, if none is asked for."""
    if answer is None:
        return rules
    if rules.ordered:
        raise ParameterError("--answer cannot be taken out of a list, whose order decides.")
    return replace(rules, rules=rules.of_answer(answer), complete=False, default=None)
