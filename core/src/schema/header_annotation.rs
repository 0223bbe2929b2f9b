#![allow(missing_docs)]
pub struct MirroredArgument {
    pub header: String,
    pub path: Vec<String>,
}
pub fn find(_text: &[u8]) -> Result<Vec<MirroredArgument>, String> {
    Ok(vec![])
}
