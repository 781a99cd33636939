//! The five questions of the methodology, which every behavioural skeleton answers.
