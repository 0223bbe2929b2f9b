# The commands of the README. Everything that is built or installed for tests goes under target/.

PREFIX  ?= /usr/local
DESTDIR ?=
CARGO   ?= cargo
CC      ?= cc
CFLAGS  ?= -O2 -g
STRIP   ?= strip

VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
ABI     := 0
release := target/release
# The target folder is named, so that a CARGO_TARGET_DIR from outside does not lead the C programs astray.
built   := $(release)/.libmcp-built
build   := $(CARGO) build --locked --release -p libmcp-ffi

.PHONY: all build examples demo test python node wheel npm-pack header installable install bench-servers bench \
	bench-subscriptions sizes lint fmt clean FORCE

all: build examples

build: $(release)/libmcp.so

# Cargo knows best whether there is something to do; what depends on the library is rebuilt when it changed.
# Tests ask for it several at a time, hence a stamp for each. `installable` compares with the time at which a build began:
# a file that is changed while it runs is newer.
$(release)/libmcp.so: FORCE
	@mkdir -p $(release)
	@begun=$$(mktemp $(release)/.build-begun.XXXXXX) && echo '$(build)' && \
		if $(build) --target-dir target; then mv $$begun $(built); else rm $$begun; exit 1; fi
	@test -e $(release)/libmcp.so.$(ABI) || ln -sf libmcp.so $(release)/libmcp.so.$(ABI)

# ---- C programs ----

examples: target/c/weather target/c/notes target/c/ask target/c/in_process

bench-servers: target/c/bench wheel npm-pack
	$(CARGO) build --locked --release -p libmcp-bench-server --target-dir target
	packaging/install-for-bench

target/c/weather: examples/c/weather.c
target/c/notes: examples/c/notes.c
target/c/ask: examples/c/ask.c
target/c/in_process: examples/c/in_process.c
target/c/bench: benchmarks/servers/c/bench.c
target/c/subscriptions: benchmarks/subscriptions/server.c
target/c/conformance-server: $(wildcard tests/conformance/fixtures/c/*.[ch])
target/c/interop-server: tests/interop/server.c
target/c/revisions-server: $(wildcard tests/revisions/*.[ch])

programs := weather notes ask in_process bench subscriptions conformance-server interop-server revisions-server

$(addprefix target/c/,$(programs)): include/mcp.h $(release)/libmcp.so
	@mkdir -p $(@D)
	$(CC) -std=c99 -Wall -Wextra -Wpedantic -Werror $(CFLAGS) -Iinclude $(filter %.c,$^) -o $@ \
		-L$(release) -lmcp -Wl,-rpath,'$$ORIGIN/../release' $(LDFLAGS)

# Needs libmicrohttpd (Debian: libmicrohttpd-dev), and so is no part of `make examples`.
target/c/embedded_http: examples/c/embedded_http.c include/mcp.h $(release)/libmcp.so
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror $(CFLAGS) -Iinclude $< -o $@ \
		-L$(release) -lmcp -lmicrohttpd -lpthread -Wl,-rpath,'$$ORIGIN/../release' $(LDFLAGS)

# ---- the bindings ----

# For development: built without optimisation, and put where the source tree itself is the package. A file that is in use
# is replaced, not written over, and only if it is another.
put = cmp --silent $(1) $(2) || { cp $(1) $(2).$$$$ && mv $(2).$$$$ $(2); }

python:
	@$(CARGO) build --locked --quiet -p libmcp-python --target-dir target
	@$(call put,target/debug/lib_libmcp.so,bindings/python/libmcp/_libmcp.abi3.so)

node:
	@$(CARGO) build --locked --quiet -p libmcp-node --target-dir target
	@$(call put,target/debug/liblibmcp_node.so,bindings/node/libmcp.linux-x64-gnu.node)

# For users: a wheel in target/wheels/, and the tarballs of the two npm packages in target/npm/.
wheel:
	@packaging/wheel

npm-pack:
	@packaging/npm-pack

# ---- what a newcomer runs ----

demo: examples
	@python3 examples/demo.py target/c/weather

test:
	@python3 tests/run $(SUITES)

bench:
	$(CARGO) bench --locked -p mcp-core

bench-subscriptions: target/c/subscriptions
	@python3 benchmarks/subscriptions/measure.py target/c/subscriptions

# ---- the header ----

header:
	MCP_WRITE_HEADER=1 $(CARGO) test --locked --quiet -p libmcp-ffi --test header

# ---- installing ----

libdir  := $(DESTDIR)$(PREFIX)/lib
so      := libmcp.so.$(VERSION)

# `sudo make install` after `make` must do without Cargo, which root seldom has: it is asked only where a source is newer
# than the last build.
installable:
	@if test -f $(release)/libmcp.so && test -f $(release)/libmcp.a && test -f $(built) && \
		test -z "$$(find Cargo.toml Cargo.lock core/src core/Cargo.toml ffi -type f -newer $(built) | head -n 1)"; then :; \
	elif command -v $(CARGO) > /dev/null; then $(MAKE) --no-print-directory build; \
	else echo "make install: the library is to be built first; run make as a user who has cargo" >&2; exit 1; fi

# The version of the shared library and its soname: two libraries of one soname are interchangeable.
install: installable
	install -d '$(libdir)/pkgconfig' '$(DESTDIR)$(PREFIX)/include'
	install -m 755 $(release)/libmcp.so '$(libdir)/$(so)'
	$(STRIP) --strip-unneeded '$(libdir)/$(so)'
	ln -sf $(so) '$(libdir)/libmcp.so.$(ABI)'
	ln -sf libmcp.so.$(ABI) '$(libdir)/libmcp.so'
	install -m 644 $(release)/libmcp.a '$(libdir)/libmcp.a'
	$(STRIP) --strip-debug '$(libdir)/libmcp.a'
	install -m 644 include/mcp.h '$(DESTDIR)$(PREFIX)/include/mcp.h'
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' mcp.pc.in > '$(libdir)/pkgconfig/mcp.pc'
	@chmod 644 '$(libdir)/pkgconfig/mcp.pc'
	@echo "$(so): $$(stat -c %s '$(libdir)/$(so)') bytes, stripped"
	@if test -n '$(DESTDIR)'; then :; \
	elif test "$$(id -u)" = 0 && command -v ldconfig > /dev/null; then ldconfig; \
	else echo "If the system is to find it in $(PREFIX)/lib, run ldconfig as root now."; fi

# The stripped size of the whole library, of one without TLS, and of one for stdio alone, which leaves hyper out too.
sizes: build
	@$(build) --quiet --no-default-features --features http --target-dir target/no-tls
	@$(build) --quiet --no-default-features --target-dir target/stdio-only
	@for library in $(release)/libmcp.so target/no-tls/release/libmcp.so target/stdio-only/release/libmcp.so; do \
		$(STRIP) --strip-unneeded -o target/stripped $$library && \
		echo "$$library: $$(stat -c %s target/stripped) bytes, stripped"; rm -f target/stripped; done

# ---- housekeeping ----

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) clippy --locked -p mcp-core -p libmcp-ffi --no-default-features --features http --all-targets -- -D warnings
	$(CARGO) clippy --locked -p libmcp-ffi --no-default-features -- -D warnings

fmt:
	$(CARGO) fmt --all

clean:
	$(CARGO) clean
