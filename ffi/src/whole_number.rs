//! Whole numbers in JSON, read exactly: a double would round them past 2^53.

/// What a JSON number is, taken for a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// It is whole and fits.
    Fits(i64),
    /// It is whole and does not fit.
    TooLarge,
    /// It is not whole.
    Fraction,
}

/// Reads `text`, a number in the grammar of JSON: 3, 3.0 and 0.3e1 are the same.
pub fn read(text: &[u8]) -> Whole {
    let negative = text.first() == Some(&b'-');
    let (digits, exponent) = match text.iter().position(|b| matches!(b, b'e' | b'E')) {
        Some(at) => (&text[..at], exponent(&text[at + 1..])),
        None => (text, 0),
    };
    let fraction = digits.iter().position(|b| *b == b'.').map_or(0, |at| digits.len() - at - 1);
    let mut digits: Vec<u8> = digits.iter().copied().filter(u8::is_ascii_digit).collect();
    let mut scale = exponent.saturating_sub(i64::try_from(fraction).unwrap_or(i64::MAX));
    while digits.last() == Some(&b'0') {
        digits.pop();
        scale = scale.saturating_add(1);
    }
    let significant = digits.iter().skip_while(|b| **b == b'0');
    let Ok(places) = i64::try_from(significant.clone().count()) else { return Whole::TooLarge };
    if places == 0 {
        return Whole::Fits(0);
    }
    if scale < 0 {
        return Whole::Fraction;
    }
    if places.saturating_add(scale) > MOST_DIGITS {
        return Whole::TooLarge;
    }
    let zeros = std::iter::repeat_n(&b'0', usize::try_from(scale).unwrap_or(0));
    let magnitude = significant.chain(zeros).fold(0i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    let value = if negative { -magnitude } else { magnitude };
    i64::try_from(value).map_or(Whole::TooLarge, Whole::Fits)
}

/// Digits of the largest 64-bit integer.
const MOST_DIGITS: i64 = 19;

/// An exponent; one that no integer holds is as good as the largest.
fn exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let value =
        digits.iter().fold(0i64, |sum, digit| sum.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_way_to_write_a_whole_number() {
        for (text, whole) in [
            ("3", Whole::Fits(3)),
            ("3.0", Whole::Fits(3)),
            ("0.3e1", Whole::Fits(3)),
            ("300e-2", Whole::Fits(3)),
            ("-3.000", Whole::Fits(-3)),
            ("0", Whole::Fits(0)),
            ("-0.0", Whole::Fits(0)),
            ("0e99999999999999999999", Whole::Fits(0)),
            ("9007199254740993.0", Whole::Fits(9_007_199_254_740_993)),
            ("9223372036854775807", Whole::Fits(i64::MAX)),
            ("-9223372036854775808.0", Whole::Fits(i64::MIN)),
            ("1e18", Whole::Fits(1_000_000_000_000_000_000)),
            ("9223372036854775808", Whole::TooLarge),
            ("-9223372036854775809", Whole::TooLarge),
            ("1e19", Whole::TooLarge),
            ("1e99999999999999999999", Whole::TooLarge),
            ("3.5", Whole::Fraction),
            ("1e-1", Whole::Fraction),
            ("1e-99999999999999999999", Whole::Fraction),
            ("123456789012345678901234567890.5", Whole::Fraction),
        ] {
            assert_eq!(read(text.as_bytes()), whole, "{text}");
        }
    }
}
