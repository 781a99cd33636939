//! The grammar of models, which is the same in files and in macros.
//!
//! A `.pepa` text and the tokens of a `pepa!` call become the same [`token::Token`] stream; one hand-written
//! parser, generic over the [`Span`](crate::diagnostic::Span), makes an [`ast::Ast`] of it. Only [`lex`]
//! knows what files alone may have (primes, `%` comments, Unicode operators, old `#` definitions). The macros
//! have a smaller lexer of their own, over Rust tokens.
//!
//! ```text
//! model       = { definition } system [ ";" ] { result }
//! definition  = name ( "=" | ":=" ) ( rate expression | process ) ";"
//! process     = cooperation { "+" cooperation }
//! cooperation = postfix { ( "<" [ actions ] ">" | "<*>" | "||" ) postfix }
//! postfix     = prefix { "/" ( "{" actions "}" | "<" actions ">" ) }
//! prefix      = "(" action "," rate ")" "." prefix | "(" process ")" | name [ "[" count [ "," "{" actions "}" ] "]" ]
//! count       = rate expression, of which the value is a whole number
//! result      = name "=" [ rate "*" ] "{" pattern "}" ";"
//! ```

pub mod ast;
pub mod construct;
pub mod cursor;
pub mod directive;
pub mod lex;
pub(crate) mod literal;
pub mod name;
pub(crate) mod outline;
pub mod parse;
pub(crate) mod plain;
pub mod print;
pub mod token;

/// How deep brackets, and constants of the system equation, may nest. Every recursion over a model is bounded
/// by it, so that no input overflows the stack.
pub const MAX_DEPTH: usize = 100;
