//! Fields of a request that are a word or a table: of a table it is the key that is named where one is wrong, which a form
//! taken for whichever fits would not tell.

use super::{MinimiseRequest, StrategyRequest};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// What a word and what a table of the kind `T` become; `kind` is what messages are made for.
struct WordOrTable<T, V> {
    kind: &'static str,
    word: fn(String) -> V,
    table: fn(T) -> V,
}

impl<'de, T: Deserialize<'de>, V> Visitor<'de> for WordOrTable<T, V> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<V, E> {
        Ok((self.word)(word.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(self.table)
    }
}

impl<'de> Deserialize<'de> for StrategyRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrTable {
            kind: "StrategyRequest",
            word: Self::Word,
            table: Self::Fixed,
        })
    }
}

impl<'de> Deserialize<'de> for MinimiseRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordOrTable {
            kind: "MinimiseRequest",
            word: Self::Word,
            table: Self::Blend,
        })
    }
}
