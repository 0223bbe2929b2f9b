//! `include/mcp.h` is what the exported functions and their comments make. With MCP_WRITE_HEADER=1 it is
//! written, otherwise compared.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

/// The header, section by section: a title, and the files of `ffi/src` whose items stand there.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Status codes and errors", &["status", "last_error"]),
    ("Version", &["version"]),
    ("Texts and callbacks", &["text", "user_data"]),
    ("The log of the library", &["log"]),
    ("Where handlers run, and what must be given", &["dispatch", "presence"]),
    ("Tool definitions", &["tool", "tool_arguments"]),
    ("Resource definitions", &["resource", "resource_template"]),
    ("Prompt definitions", &["prompt"]),
    ("MCP Apps", &["app_ui"]),
    ("Servers", &["server", "executor"]),
    ("Handlers: what a call says", &["call", "handler", "call_request", "call_argument"]),
    ("Handlers: while a call runs", &["call_progress", "call_cancel", "call_stream", "call_server"]),
    ("Handlers: asking the client", &["call_input", "call_memory", "elicitation"]),
    ("Handlers: the result", &["call_result", "call_prompt", "call_read", "call_completion", "call_finish"]),
    (
        "What a server offers",
        &[
            "server_tools",
            "server_resources",
            "server_prompts",
            "server_completion",
            "server_lists",
            "in_process",
        ],
    ),
    ("Serving over stdio and HTTP", &["stdio", "http_config", "tls_files", "listener", "server_end"]),
    ("Serving over the host's own transport", &["session"]),
    ("Serving in the host's own web server", &["endpoint", "exchange"]),
];

#[test]
fn the_header_is_what_the_source_says() {
    let path = root().join("include/mcp.h");
    let header = header();
    if std::env::var_os("MCP_WRITE_HEADER").is_some() {
        return std::fs::write(&path, header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == header, "include/mcp.h is not what ffi/src says; run `make header`");
}

#[test]
fn every_file_with_exports_has_its_section() {
    let sources = root().join("ffi/src");
    for entry in std::fs::read_dir(&sources).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let exports = std::fs::read_to_string(&path).unwrap().contains("#[unsafe(no_mangle)]");
        let listed = SECTIONS.iter().any(|(_, files)| files.contains(&name));
        let replaced = name.ends_with("_unsupported");
        assert!(
            listed || replaced || !exports,
            "{name}.rs exports functions, but stands in no section of the header"
        );
    }
}

fn header() -> String {
    let overview = std::fs::read_to_string(root().join("ffi/header/overview.h")).unwrap();
    let mut header = overview + &opening();
    for (title, files) in SECTIONS {
        let rule = "-".repeat(96 - title.len());
        header.push_str(&format!("\n/* ---- {title} {rule} */\n\n"));
        header.push_str(&section(files));
    }
    header + CLOSING
}

/// What stands between the overview and the first section.
fn opening() -> String {
    let [major, minor, patch] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")];
    format!(
        "
#ifndef LIBMCP_MCP_H
#define LIBMCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version that this header belongs to; mcp_version_number() is that of the library. */
#define MCP_VERSION_MAJOR {major}
#define MCP_VERSION_MINOR {minor}
#define MCP_VERSION_PATCH {patch}
#define MCP_VERSION_STRING \"{major}.{minor}.{patch}\"
#define MCP_VERSION_NUMBER ((MCP_VERSION_MAJOR << 16) | (MCP_VERSION_MINOR << 8) | MCP_VERSION_PATCH)

/* Define LIBMCP_STATIC where the static library is linked, on systems that tell the two apart. */
#if defined(_WIN32) && !defined(LIBMCP_STATIC)
#define LIBMCP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define LIBMCP_API __attribute__((visibility(\"default\")))
#else
#define LIBMCP_API
#endif

/** As the length of a text: the text ends at its first NUL. */
#define MCP_NUL_TERMINATED SIZE_MAX

#ifdef __cplusplus
extern \"C\" {{
#endif
"
    )
}

const CLOSING: &str = "
#ifdef __cplusplus
}
#endif

#endif /* LIBMCP_MCP_H */
";

fn section(files: &[&str]) -> String {
    let config = cbindgen::Config::from_file(root().join("ffi/cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in files {
        builder = builder.with_src(root().join(format!("ffi/src/{file}.rs")));
    }
    let mut text = Vec::new();
    builder.generate().expect("cbindgen reads the source").write(&mut text);
    for_c(&String::from_utf8(text).unwrap())
}

/// The declarations, each as short as it can be, their comments without what is for readers of Rust alone: code
/// stands indented in place of fences.
fn for_c(text: &str) -> String {
    let mut out = String::new();
    let mut comment: Option<Vec<String>> = None;
    for line in text.trim_start().replace("LIBMCP_API\n", "LIBMCP_API ").lines() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match (line.trim_start(), &mut comment) {
            ("/**", _) => comment = Some(Vec::new()),
            ("*/", Some(lines)) => {
                write_comment(indent.strip_suffix(' ').unwrap_or(indent), lines, &mut out);
                comment = None;
            }
            (inside, Some(lines)) => lines.push(inside.trim_start_matches('*').to_owned()),
            (_, None) if line.starts_with("typedef struct") => out.push_str(&format!("{line}\n")),
            (_, None) => wrap(&line.replace("struct ", ""), &mut out),
        }
    }
    out
}

fn write_comment(indent: &str, lines: &[String], out: &mut String) {
    let mut code = false;
    let mut text = String::new();
    for line in lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)) {
        match line {
            "# Safety" => break,
            fence if fence.starts_with("```") => code = !code,
            line => text.push_str(&format!("{}{line}\n", if code { "    " } else { "" })),
        }
    }
    let text = text.trim_end();
    if !text.contains('\n') {
        return out.push_str(&format!("{indent}/** {text} */\n"));
    }
    out.push_str(&format!("{indent}/**\n"));
    for line in text.lines() {
        out.push_str(format!("{indent} * {line}").trim_end());
        out.push('\n');
    }
    out.push_str(&format!("{indent} */\n"));
}

/// Breaks a declaration that is too long behind a comma, and goes on under its first parameter.
fn wrap(line: &str, out: &mut String) {
    let parameters = line.find(")(").map(|at| at + 2).or_else(|| line.find('(').map(|at| at + 1));
    let indent = parameters.unwrap_or(0);
    let mut rest = line.to_owned();
    while rest.len() > LINE_LENGTH && rest.starts_with(['L', 't', ' ']) {
        let Some(at) = rest[..LINE_LENGTH].rfind(", ").filter(|at| *at > indent) else { break };
        out.push_str(&rest[..=at]);
        out.push('\n');
        rest = " ".repeat(indent) + &rest[at + 2..];
    }
    out.push_str(&rest);
    out.push('\n');
}

const LINE_LENGTH: usize = 110;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
