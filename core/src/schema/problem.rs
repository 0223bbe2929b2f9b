#![allow(missing_docs)]
#[derive(Debug)]
pub struct Problems(pub Vec<(String, String)>);
impl Problems {
    pub fn describe_input(&self, name: &str) -> String {
        format!("Invalid arguments for tool \"{name}\": {:?}", self.0)
    }
    pub fn describe_output(&self, name: &str) -> String {
        format!("{name}: {}", self.0.len())
    }
    pub fn pointers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|p| p.0.as_str())
    }
}
