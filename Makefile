# The two commands of the README, and the steps behind them. Everything else is CMake (see CMakePresets.json).
PRESET ?= release
JOBS ?= $(shell nproc)
CCACHE_ENV = CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_NOHASHDIR=1 \
             CCACHE_BASEDIR=$(CURDIR)

.PHONY: demo test build setup model fuzz format lint clean

demo: build
	@build/$(PRESET)/plumbline probe demo; status=$$?; \
	if [ $$status -eq 1 ]; then echo "make demo: finished; a gate above says FAIL, which is a result"; exit 0; fi; \
	exit $$status

test: build model
	cd build/$(PRESET) && ctest --output-on-failure -j $(JOBS)

build: setup
	@$(CCACHE_ENV) cmake --preset $(PRESET) > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	$(CCACHE_ENV) cmake --build build/$(PRESET) -j $(JOBS)

setup:
	@mkdir -p build
	@tools/setup.sh

model: setup
	@tools/setup.sh --model

fuzz:
	@$(CCACHE_ENV) JOBS=$(JOBS) tools/fuzz.sh $(FUZZ_S)

format:
	@git ls-files 'src/*.cc' 'src/*.h' 'src/*.cu' 'tests/*.cc' 'tests/*.h' 'bench/*.cc' 'bench/*.h' | \
	  grep -v torch_pch.h | xargs clang-format -i

lint:
	@tools/lint.sh build/$(PRESET)

clean:
	rm -rf build
