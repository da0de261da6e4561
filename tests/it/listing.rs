//! Lists of games: every filter and order, page by page, against a plain model; and how they are found.

mod law;
mod model;
mod over_http;
mod plans;
