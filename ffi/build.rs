//! How the shared library is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let arguments: &[&str] = match target("OS").as_str() {
        // The name that programs look for: it changes with the ABI, not with the version. Never unloaded, as its
        // threads and the destructors of its thread-locals would run into nothing. Its own functions are its own,
        // whatever else the process has loaded.
        "linux" => &["-Wl,-soname,libmcp.so.0", "-Wl,-z,nodelete", "-Wl,-Bsymbolic"],
        "macos" => &["-Wl,-install_name,@rpath/libmcp.0.dylib"],
        _ => &[],
    };
    for argument in arguments {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
}
