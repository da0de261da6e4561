//! The service as its callers meet it, in process and on both databases.

mod proof;
