//! Managers in virtual time: experiments, random loads, and laws.

mod experiment_2;
mod experiment_3;
mod laws;
mod loads;
mod places;
mod trial;
