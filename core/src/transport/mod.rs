//! Bytes to frames and back, and what each transport demands.
