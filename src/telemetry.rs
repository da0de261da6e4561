//! stub
/// stub
pub fn request_id() -> String {
    String::new()
}
