# make demo | test | test-spark | test-ray | check | docs | fuzz | bench | quality     Everything installs into .venv; nothing is rebuilt unless it changed.
.PHONY: demo test test-spark test-ray check docs format stub sanitize attack fuzz bench quality clean
.DELETE_ON_ERROR:

PYTHON   ?= python3
SANITIZE ?= address,undefined
JOBS     ?= auto
FUZZ     ?= 60
ATTACKS  ?= 3000
FITS     ?= 1000

venv := .venv
bin  := $(venv)/bin
py   := $(bin)/python
pip  := $(py) -m pip --disable-pip-version-check install --quiet
checked = LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 $(py) -m tests.fuzz
cpp  := $(shell find core -name '*.cpp' -o -name '*.hpp' 2>/dev/null)
rooms := $(shell find src -name __init__.py 2>/dev/null)

demo: $(venv)/.core
	$(py) -m bosco.demo build/demo

# Whole stretches of the tests for each process, so that a browser or a cluster is started once; `check` did the layers.
test: check attack
	$(py) -m pytest -q -n $(JOBS) --dist worksteal --ignore tests/test_layers.py

# Spark needs Java, and pyspark is large, so it is installed only here; once there, `make test` runs these too.
test-spark: $(venv)/.core
	$(pip) --no-build-isolation -e '.[test,spark]'
	$(py) -m pytest -q tests/test_spark.py tests/test_spark_faults.py

# Ray is large, too.
test-ray: $(venv)/.core
	$(pip) --no-build-isolation -e '.[test,ray]'
	$(py) -m pytest -q tests/test_ray.py

check: $(venv)/.core build/_core.pyi
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/clang-format --dry-run -Werror $(cpp)
	$(bin)/lizard --languages cpp --exclude '*/tests/*' --CCN 20 --warnings_only core
	@diff -u src/bosco/_core.pyi build/_core.pyi || { echo 'src/bosco/_core.pyi is not what the module says: make stub'; exit 1; }
	$(bin)/mypy
	$(py) -m pytest -q tests/test_layers.py

# The site, in build/docs. A warning, a broken link included, is an error.
docs: $(venv)/.docs
	$(bin)/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto docs build/docs
	@echo build/docs/index.html

format: $(venv)/.tools
	$(bin)/ruff check --fix-only .
	$(bin)/ruff format .
	$(bin)/clang-format -i $(cpp)

stub: build/_core.pyi
	cp $< src/bosco/_core.pyi

# The core and its unit tests, every memory access and integer operation checked.
sanitize: $(venv)/.core
	$(bin)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(bin))/ninja --log-level=WARNING \
		-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DBOSCO_PYTHON=ON -DBOSCO_TESTS=ON -DBOSCO_SANITIZE=$(SANITIZE) \
		-DPython_EXECUTABLE=$(abspath $(py))
	$(bin)/cmake --build build/sanitize
	build/sanitize/bosco_tests

# Files from strangers, as many as ATTACKS, and whole fits, as many as FITS, with that core; side by side.
attack: SANITIZE = address,undefined
attack: sanitize
	core=$$(ls build/sanitize/_core.*.so); \
	$(checked) load --plain --core $$core --runs $(ATTACKS) --seconds 600 & load=$$!; \
	$(checked) fit --core $$core --runs $(FITS) --seconds 600; fit=$$?; \
	wait $$load && exit $$fit

# Absurd models, files, tables and fits from strangers, FUZZ seconds for each: with libFuzzer where atheris can be installed,
# then blindly with the core built so that every memory access and integer operation is checked.
fuzz: SANITIZE = address,undefined
fuzz: $(venv)/.fuzz sanitize
	$(py) -m tests.fuzz methods --seconds $(FUZZ)
	for target in load border; do $(py) -m tests.fuzz $$target --seconds $(FUZZ) || exit 1; done
	$(checked) load --plain --core $$(ls build/sanitize/_core.*.so) --seconds $(FUZZ)
	$(checked) fit --core $$(ls build/sanitize/_core.*.so) --seconds $(FUZZ)

bench: $(venv)/.bench
	$(py) -m bench $(BENCH)
	$(py) -m bench.forests $(FORESTS)
	$(py) -m bench.page

# How well forests predict, on the sets of ../shared/data. Hours; may be cut short and goes on.
quality: $(venv)/.bench
	$(py) -m bench.quality $(QUALITY)
	$(py) -m bench.page

clean:
	rm -rf build dist $(venv) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The tools that build and check, at the versions pyproject.toml allows; setuptools and wheel for
# dependencies that come as source (liac-arff).
$(venv)/.tools: pyproject.toml
	test -x $(py) || $(PYTHON) -m venv $(venv)
	$(pip) cmake ninja setuptools wheel $$($(py) -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb')); \
		e = p['project']['optional-dependencies']; \
		print(*p['build-system']['requires'], *e['check'])")
	touch $@

# Python sources are used in place, so only a change of the native part, or of the packages, installs again.
$(venv)/.core: $(venv)/.tools CMakeLists.txt $(cpp) $(rooms)
	$(pip) --no-build-isolation -e '.[test,check]'
	touch $@

# The native interface as it is. nanobind cannot say what a dict holds, so it is said here.
build/_core.pyi: $(venv)/.core
	$(py) -m nanobind.stubgen -q -m bosco._core -o $@
	sed -i.bare 's/ dict\([,:)]\)/ dict[str, object]\1/g' $@

# atheris has no build for some machines; without it inputs are changed blindly.
$(venv)/.fuzz: $(venv)/.core
	-$(pip) --no-build-isolation -e '.[fuzz]'
	touch $@

$(venv)/.docs: $(venv)/.core
	$(pip) --no-build-isolation -e '.[docs]'
	touch $@

$(venv)/.bench: $(venv)/.core
	$(pip) --no-build-isolation -e '.[bench]'
	touch $@
